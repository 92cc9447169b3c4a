// Package pictures keeps the pictures of goods and sales that operators upload, for shops that have no host of their
// own for them.
//
// A picture is a JPEG, PNG or WebP of at most 1 MiB. Its id is a digest of its shop and its content: the same picture
// is kept once for each shop, and what an address shows never changes, so browsers and a CDN keep it for a year. SQL
// has the row of a picture in pictures, and its content in picture_parts, whose rows fit into the smallest packet
// that sqldb accepts, or a bucket has its content, under the key in the row. The setting decides for uploads alone:
// an older picture stays where its row says. The id is the checksum of the content of an object.
//
// A crowd that opens a sale asks for its pictures at the same moment. Reader answers from the memory of the instance;
// those who wait for a picture share one read of it, and few pictures are read at once. Requests for ids that don't
// exist share reads of the small rows, too.
package pictures

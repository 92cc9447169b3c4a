// Package needs keeps sales that use a newer part of the program from instances of older builds, which would ignore
// that part. Each such part has the name of an ability. Instances tell the abilities of their build
// (modules/instances), and a published sale has those that its fields need, in a set that only grows.
//
// Two checks use it. A sale isn't published or changed so that it needs an ability while an instance runs that lacks
// it. And an instance of an older build that starts later can't place orders of the sale: Redis has it under a version
// that such a build doesn't reach (Version).
package needs

-- +goose Up
-- What a page of a sale shows: images is a JSON list of URLs, '' is none. Older versions of the program insert
-- activities without them. MySQL takes the default of a TEXT only in brackets, which SQLite refuses when it adds a
-- column. Each statement may run again after a crash, as in 00011.
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ description TEXT NOT NULL DEFAULT /*! ( */ '' /*! ) */;
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ image_url VARCHAR(500) NOT NULL DEFAULT '';
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ images TEXT NOT NULL DEFAULT /*! ( */ '' /*! ) */;

-- Buyers list the skus of a shop by id.
CREATE INDEX /*M! IF NOT EXISTS */ skus_by_shop ON skus (shop_id, sku_id);

-- Where the page of the sandbox sends the buyer; '' is nowhere.
ALTER TABLE sandbox_payments ADD COLUMN /*M! IF NOT EXISTS */ return_url VARCHAR(500) NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sandbox_payments DROP COLUMN return_url;
DROP INDEX skus_by_shop /*! ON skus */;
ALTER TABLE activities DROP COLUMN images;
ALTER TABLE activities DROP COLUMN image_url;
ALTER TABLE activities DROP COLUMN description;

-- +goose Up
-- object_key is the key of the object that has the content of a picture; empty where picture_parts has it.
-- picture_objects has the objects without a picture: of uploads that have not ended, and of deleted pictures. They are
-- deleted from due_ms on. bucket is a digest of the address below which they are.
-- Locks: nothing for long: adds a column to pictures, a table of pictures without their content, which is small.
ALTER TABLE pictures ADD COLUMN object_key VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
CREATE TABLE IF NOT EXISTS picture_objects (
    bucket     VARCHAR(22) NOT NULL,
    object_key VARCHAR(64) NOT NULL,
    shop_id    VARCHAR(64) NOT NULL,
    due_ms     BIGINT      NOT NULL,
    PRIMARY KEY (bucket, object_key)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ picture_objects_due ON picture_objects (bucket, due_ms);
CREATE INDEX /*M! IF NOT EXISTS */ picture_objects_shop ON picture_objects (bucket, shop_id);

-- +goose Down
DROP TABLE picture_objects;
ALTER TABLE pictures DROP COLUMN object_key;

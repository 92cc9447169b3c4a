-- +goose Up
-- object_key is the key of the object that has the content of a picture; empty where picture_parts has it.
-- picture_objects has the keys of objects without a picture: of uploads that have not ended, and of deleted pictures.
-- They are deleted from due_ms on.
-- Locks: nothing for long: adds a column to pictures, a table of pictures without their content, which is small.
ALTER TABLE pictures ADD COLUMN object_key VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
CREATE TABLE IF NOT EXISTS picture_objects (
    object_key VARCHAR(64) NOT NULL PRIMARY KEY,
    due_ms     BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ picture_objects_due ON picture_objects (due_ms);

-- +goose Down
DROP TABLE picture_objects;
ALTER TABLE pictures DROP COLUMN object_key;

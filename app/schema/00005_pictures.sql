-- +goose Up
-- The pictures that operators have uploaded. picture_id is a digest of the shop and the content; shop_id is empty for the
-- whole platform. picture_parts has the content, in parts of at most 256 KiB.
-- Locks: nothing: it makes tables.
CREATE TABLE IF NOT EXISTS pictures (
    picture_id VARCHAR(22) NOT NULL PRIMARY KEY,
    media_type VARCHAR(20) NOT NULL,
    bytes      BIGINT      NOT NULL,
    width      BIGINT      NOT NULL,
    height     BIGINT      NOT NULL,
    shop_id    VARCHAR(64) NOT NULL,
    created_ms BIGINT      NOT NULL,
    created_by VARCHAR(64) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ pictures_shop ON pictures (shop_id, created_ms, picture_id);
CREATE INDEX /*M! IF NOT EXISTS */ pictures_created ON pictures (created_ms, picture_id);
CREATE INDEX /*M! IF NOT EXISTS */ pictures_operator ON pictures (created_by, created_ms);
CREATE TABLE IF NOT EXISTS picture_parts (
    picture_id VARCHAR(22) NOT NULL,
    part       INT         NOT NULL,
    content    MEDIUMBLOB  NOT NULL,
    PRIMARY KEY (picture_id, part)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- +goose Down
DROP TABLE picture_parts;
DROP TABLE pictures;

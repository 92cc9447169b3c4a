-- +goose Up
-- limit_key is the claim of a buyer's token by which a sale counts purchases; empty: by user. eligibility says who may
-- buy, as JSON; empty: everybody. listed is the last version of the list of buyers of a sale, and listed_from the first
-- one since the list was last emptied. sale_buyers has the list; version is that with which a row was added.
-- sale_codes has the codes of sales, as digests; used counts the buyers, who are in sale_code_uses.
-- Locks: nothing for long: adds columns to activities, a table of sales, which is small.
ALTER TABLE activities ADD COLUMN limit_key VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
ALTER TABLE activities ADD COLUMN eligibility VARCHAR(2000) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
ALTER TABLE activities ADD COLUMN listed BIGINT NOT NULL DEFAULT 0 /*! , ALGORITHM=INSTANT */;
ALTER TABLE activities ADD COLUMN listed_from BIGINT NOT NULL DEFAULT 0 /*! , ALGORITHM=INSTANT */;
CREATE TABLE IF NOT EXISTS sale_buyers (
    activity_id VARCHAR(64) NOT NULL,
    user_id     VARCHAR(64) NOT NULL,
    version     BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, user_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ sale_buyers_version ON sale_buyers (activity_id, version, user_id);
CREATE INDEX /*M! IF NOT EXISTS */ sale_buyers_user ON sale_buyers (user_id);
CREATE TABLE IF NOT EXISTS sale_codes (
    activity_id VARCHAR(64) NOT NULL,
    digest      VARCHAR(22) NOT NULL,
    uses        INT         NOT NULL,
    used        INT         NOT NULL,
    PRIMARY KEY (activity_id, digest)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS sale_code_uses (
    activity_id VARCHAR(64) NOT NULL,
    user_id     VARCHAR(64) NOT NULL,
    digest      VARCHAR(22) NOT NULL,
    PRIMARY KEY (activity_id, user_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ sale_code_uses_user ON sale_code_uses (user_id);

-- +goose Down
DROP TABLE sale_code_uses;
DROP TABLE sale_codes;
DROP TABLE sale_buyers;
ALTER TABLE activities DROP COLUMN listed_from;
ALTER TABLE activities DROP COLUMN listed;
ALTER TABLE activities DROP COLUMN eligibility;
ALTER TABLE activities DROP COLUMN limit_key;

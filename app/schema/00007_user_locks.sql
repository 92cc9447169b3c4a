-- +goose Up
-- A row per user who has had an address. Locking it makes the changes of a user's addresses one
-- after the other, also while there is none yet.
CREATE TABLE user_locks (
    user_id VARCHAR(64) NOT NULL PRIMARY KEY
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- +goose Down
DROP TABLE user_locks;

-- +goose Up
-- shop_id is the only shop that an operators' key sees; empty for all shops. The scope of such a key begins with "shop ".
-- Locks: nothing for long: adds a column to operator_keys, which has at most some thousand rows.
ALTER TABLE operator_keys ADD COLUMN shop_id VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE operator_keys DROP COLUMN shop_id;

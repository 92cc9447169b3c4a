-- +goose Up
-- shop_id is the only shop that an operators' key sees; empty for all shops. The scope of such a key begins with "shop ".
-- signed_in is the operator whose session the key is; empty for other keys.
-- Locks: nothing for long: adds columns to operator_keys, a table of keys, which is small.
ALTER TABLE operator_keys ADD COLUMN shop_id VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
ALTER TABLE operator_keys ADD COLUMN signed_in VARCHAR(64) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE operator_keys DROP COLUMN signed_in;
ALTER TABLE operator_keys DROP COLUMN shop_id;

-- +goose Up
-- pay_grace_s is by how many seconds a payment that is under way at its deadline extends an order of the sale, once.
-- Locks: nothing for long: adds a column to activities, a table of sales, which is small.
ALTER TABLE activities ADD COLUMN pay_grace_s INT NOT NULL DEFAULT 0 /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE activities DROP COLUMN pay_grace_s;

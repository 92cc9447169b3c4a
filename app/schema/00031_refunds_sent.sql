-- +goose Up
-- When a refund was last sent to its gateway: some gateways ask for a pause between two refunds of a transaction.
ALTER TABLE refunds ADD COLUMN /*M! IF NOT EXISTS */ sent_ms BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE refunds DROP COLUMN sent_ms;

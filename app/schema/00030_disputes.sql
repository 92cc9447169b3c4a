-- +goose Up
-- A dispute of a payment, as its gateway last reported it. state is open, won or lost; status is the gateway's own word.
-- refundable says that the gateway still refunds the money while the dispute is open. event_ms is the gateway's time of
-- the report, which keeps a late one from undoing a newer one.
CREATE TABLE IF NOT EXISTS disputes (
    channel        VARCHAR(16)  NOT NULL,
    dispute_id     VARCHAR(128) NOT NULL,
    pay_number     BIGINT       NOT NULL,
    transaction_id VARCHAR(128) NOT NULL,
    amount         BIGINT       NOT NULL,
    currency       VARCHAR(3)   NOT NULL,
    reason         VARCHAR(64)  NOT NULL,
    state          VARCHAR(10)  NOT NULL,
    status         VARCHAR(64)  NOT NULL,
    refundable     INT          NOT NULL,
    due_ms         BIGINT       NOT NULL,
    event_ms       BIGINT       NOT NULL,
    opened_ms      BIGINT       NOT NULL,
    closed_ms      BIGINT       NOT NULL,
    PRIMARY KEY (channel, dispute_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ disputes_payment ON disputes (pay_number);

-- +goose Down
-- Vouchers that are void while a dispute is open, or after it was lost, stay void: an older version knows no other state.
UPDATE vouchers SET status = 'void' WHERE status IN ('disputed', 'lost');
DROP TABLE disputes;

-- +goose Up
-- The memory of the sandbox gateway, for development and tests only: what a real gateway keeps on
-- its own side. Nothing but the sandbox reads or writes these tables.
CREATE TABLE sandbox_payments (
    pay_number BIGINT     NOT NULL PRIMARY KEY,
    amount     BIGINT     NOT NULL,
    currency   VARCHAR(3) NOT NULL,
    closed_ms  BIGINT     NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

CREATE TABLE sandbox_transactions (
    transaction_id VARCHAR(64) NOT NULL PRIMARY KEY,
    pay_number     BIGINT      NOT NULL,
    amount         BIGINT      NOT NULL,
    currency       VARCHAR(3)  NOT NULL,
    at_ms          BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX sandbox_transactions_payment ON sandbox_transactions (pay_number);

CREATE TABLE sandbox_refunds (
    refund_number  BIGINT      NOT NULL PRIMARY KEY,
    transaction_id VARCHAR(64) NOT NULL,
    amount         BIGINT      NOT NULL,
    at_ms          BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX sandbox_refunds_transaction ON sandbox_refunds (transaction_id);

-- What the page asked for and how the webhook answered. state: waiting, acknowledged, given_up,
-- stopped, unheard. answer is the last HTTP status, 0 where none came.
CREATE TABLE sandbox_notices (
    event_id       VARCHAR(64) NOT NULL PRIMARY KEY,
    pay_number     BIGINT      NOT NULL,
    type           VARCHAR(32) NOT NULL,
    transaction_id VARCHAR(64) NOT NULL,
    amount         BIGINT      NOT NULL,
    currency       VARCHAR(3)  NOT NULL,
    made_ms        BIGINT      NOT NULL,
    due_ms         BIGINT      NOT NULL,
    state          VARCHAR(12) NOT NULL,
    attempts       INT         NOT NULL,
    answer         INT         NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX sandbox_notices_payment ON sandbox_notices (pay_number);

-- +goose Down
DROP TABLE sandbox_notices;
DROP TABLE sandbox_refunds;
DROP TABLE sandbox_transactions;
DROP TABLE sandbox_payments;

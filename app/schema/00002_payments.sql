-- +goose Up
-- A payment pays one or several orders of one user. task_id and digest make its Idempotency-Key
-- hold. next is the JSON that tells the client how to pay. flag says why an operator should look.
CREATE TABLE payments (
    pay_number      BIGINT       NOT NULL PRIMARY KEY,
    user_id         VARCHAR(64)  NOT NULL CHECK (length(user_id) <= 256),
    task_id         VARCHAR(100) NOT NULL,
    digest          VARCHAR(32)  NOT NULL,
    channel         VARCHAR(16)  NOT NULL,
    status          VARCHAR(10)  NOT NULL,
    amount          BIGINT       NOT NULL,
    refunded_amount BIGINT       NOT NULL,
    currency        VARCHAR(3)   NOT NULL,
    transaction_id  VARCHAR(128) NOT NULL,
    next            TEXT         NOT NULL,
    flag            VARCHAR(32)  NOT NULL,
    deliveries      INT          NOT NULL,
    created_ms      BIGINT       NOT NULL,
    ask_ms          BIGINT       NOT NULL,
    paid_ms         BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX payments_task ON payments (task_id);
CREATE INDEX payments_ask ON payments (status, ask_ms);
CREATE INDEX payments_user ON payments (user_id, pay_number);
CREATE INDEX payments_flag ON payments (flag, pay_number);

CREATE TABLE payment_orders (
    pay_number   BIGINT NOT NULL,
    order_number BIGINT NOT NULL,
    amount       BIGINT NOT NULL,
    PRIMARY KEY (pay_number, order_number)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX payment_orders_order ON payment_orders (order_number);

-- What gateways said, each event once.
CREATE TABLE payment_events (
    channel        VARCHAR(16)  NOT NULL,
    event_id       VARCHAR(128) NOT NULL,
    pay_number     BIGINT       NOT NULL,
    transaction_id VARCHAR(128) NOT NULL,
    amount         BIGINT       NOT NULL,
    currency       VARCHAR(3)   NOT NULL,
    outcome        VARCHAR(32)  NOT NULL,
    at_ms          BIGINT       NOT NULL,
    PRIMARY KEY (channel, event_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX payment_events_payment ON payment_events (pay_number);

-- Money that came in: a gateway's transaction is settled once, by whatever way it was heard of.
CREATE TABLE payment_transactions (
    channel        VARCHAR(16)  NOT NULL,
    transaction_id VARCHAR(128) NOT NULL,
    pay_number     BIGINT       NOT NULL,
    amount         BIGINT       NOT NULL,
    currency       VARCHAR(3)   NOT NULL,
    at_ms          BIGINT       NOT NULL,
    PRIMARY KEY (channel, transaction_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The outbox of money that goes back, at most once per transaction and order; order_number 0
-- stands for the whole transaction. status: pending, done, failed.
CREATE TABLE refunds (
    refund_number  BIGINT       NOT NULL PRIMARY KEY,
    pay_number     BIGINT       NOT NULL,
    channel        VARCHAR(16)  NOT NULL,
    transaction_id VARCHAR(128) NOT NULL,
    order_number   BIGINT       NOT NULL,
    amount         BIGINT       NOT NULL,
    currency       VARCHAR(3)   NOT NULL,
    reason         VARCHAR(32)  NOT NULL,
    status         VARCHAR(10)  NOT NULL,
    attempts       INT          NOT NULL,
    next_try_ms    BIGINT       NOT NULL,
    last_error     VARCHAR(300) NOT NULL,
    created_ms     BIGINT       NOT NULL,
    done_ms        BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX refunds_once ON refunds (channel, transaction_id, order_number);
CREATE INDEX refunds_due ON refunds (status, next_try_ms);
CREATE INDEX refunds_payment ON refunds (pay_number);

-- One code per paid voucher order. status: active, void.
CREATE TABLE vouchers (
    order_number BIGINT      NOT NULL PRIMARY KEY,
    code         VARCHAR(32) NOT NULL,
    status       VARCHAR(10) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX vouchers_code ON vouchers (code);

CREATE TABLE job_runs (
    run_id     VARCHAR(32)  NOT NULL PRIMARY KEY,
    job        VARCHAR(32)  NOT NULL,
    instance   VARCHAR(64)  NOT NULL,
    asked_by   VARCHAR(80)  NOT NULL,
    state      VARCHAR(10)  NOT NULL,
    done       BIGINT       NOT NULL,
    error      VARCHAR(300) NOT NULL,
    started_ms BIGINT       NOT NULL,
    ended_ms   BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX job_runs_job ON job_runs (job, started_ms);

-- A job that stands here is paused, on all instances.
CREATE TABLE job_pauses (
    job       VARCHAR(32) NOT NULL PRIMARY KEY,
    paused_by VARCHAR(80) NOT NULL,
    paused_ms BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- +goose Down
DROP TABLE job_pauses;
DROP TABLE job_runs;
DROP TABLE vouchers;
DROP TABLE refunds;
DROP TABLE payment_transactions;
DROP TABLE payment_events;
DROP TABLE payment_orders;
DROP TABLE payments;

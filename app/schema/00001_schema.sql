-- +goose Up
-- Money is in minor units, times are UTC milliseconds; absent texts are ''. MySQL and MariaDB read the text between
-- /*! and */, SQLite takes it for a comment: there, text compares byte by byte anyway. Each statement may run again
-- after a crash: remaining.go leaves out the indexes that exist.

-- stock_version counts the changes of stock, by operators and by orders; updated_ms is the version of the other
-- columns.
CREATE TABLE IF NOT EXISTS skus (
    sku_id            VARCHAR(64)  NOT NULL PRIMARY KEY,
    shop_id           VARCHAR(64)  NOT NULL,
    title             VARCHAR(200) NOT NULL,
    image_url         VARCHAR(500) NOT NULL,
    description       VARCHAR(2000) NOT NULL DEFAULT '',
    kind              VARCHAR(10)  NOT NULL,
    price             BIGINT       NOT NULL,
    currency          VARCHAR(3)   NOT NULL,
    stock             BIGINT       NOT NULL CHECK (stock >= 0),
    stock_version     BIGINT       NOT NULL DEFAULT 1,
    freight_fee       BIGINT       NOT NULL,
    freight_free_over BIGINT       NOT NULL,
    updated_ms        BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
-- Buyers list the skus of a shop by id.
CREATE INDEX /*M! IF NOT EXISTS */ skus_by_shop ON skus (shop_id, sku_id);
-- Filters of the operators' lists. Each ends with the paging key of its list.
CREATE INDEX /*M! IF NOT EXISTS */ skus_updated ON skus (updated_ms, sku_id);

-- regions is a JSON list of region codes, which may be longer than the 64 KiB of a TEXT.
CREATE TABLE IF NOT EXISTS stock_points (
    point_id      VARCHAR(64)  NOT NULL PRIMARY KEY,
    name          VARCHAR(200) NOT NULL,
    regions       MEDIUMTEXT   NOT NULL,
    freight_extra BIGINT       NOT NULL,
    pickup        SMALLINT     NOT NULL,
    address       VARCHAR(200) NOT NULL DEFAULT '',
    hours         VARCHAR(200) NOT NULL DEFAULT '',
    updated_ms    BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- version counts the changes of all stock points. Whoever changes one raises it in the same transaction; an order that is
-- sent or picked up locks the row while it is stored, and compares.
CREATE TABLE IF NOT EXISTS stock_points_head (
    id      INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

CREATE TABLE IF NOT EXISTS addresses (
    address_id VARCHAR(32)  NOT NULL PRIMARY KEY,
    user_id    VARCHAR(64)  NOT NULL,
    receiver   VARCHAR(100) NOT NULL,
    phone      VARCHAR(40)  NOT NULL,
    region     VARCHAR(64)  NOT NULL,
    detail     VARCHAR(300) NOT NULL,
    is_default SMALLINT     NOT NULL,
    created_ms BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ addresses_user ON addresses (user_id, created_ms);

-- state: draft, published, offline. lane is 0 until the activity is published. The gates are JSON where they are more
-- than a word. version counts the changes of a published activity, applied is the version that Redis has. revision is
-- the version of what an operator edits: the time when the activity was made, and 1 more after each change of what
-- operators see of it, so that an activity that is made again under an id has a higher one. announced is 1 once the
-- event of its start was written, and 2 once that of its end was; sold_out is 1 while nothing is left. images is a
-- JSON list of URLs.
CREATE TABLE IF NOT EXISTS activities (
    activity_id    VARCHAR(64)   NOT NULL PRIMARY KEY,
    shop_id        VARCHAR(64)   NOT NULL,
    title          VARCHAR(200)  NOT NULL,
    starts_ms      BIGINT        NOT NULL,
    ends_ms        BIGINT        NOT NULL,
    pay_within_s   BIGINT        NOT NULL CHECK (pay_within_s >= 1),
    purchase_limit BIGINT        NOT NULL,
    permit_ratio   DOUBLE        NOT NULL,
    state          VARCHAR(10)   NOT NULL,
    lane           INT           NOT NULL,
    created_ms     BIGINT        NOT NULL,
    retired_ms     BIGINT        NOT NULL,
    human_check    VARCHAR(16)   NOT NULL DEFAULT 'none',
    limits         VARCHAR(1000) NOT NULL DEFAULT '',
    waiting_room   VARCHAR(500)  NOT NULL DEFAULT '',
    version        BIGINT        NOT NULL DEFAULT 0,
    applied        BIGINT        NOT NULL DEFAULT 0,
    announced      SMALLINT      NOT NULL DEFAULT 0,
    sold_out       SMALLINT      NOT NULL DEFAULT 0,
    description    TEXT          NOT NULL,
    image_url      VARCHAR(500)  NOT NULL DEFAULT '',
    images         TEXT          NOT NULL,
    revision       BIGINT        NOT NULL DEFAULT 1,
    paused_ms      BIGINT        NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ activities_state ON activities (state, ends_ms);
CREATE INDEX /*M! IF NOT EXISTS */ activities_ends ON activities (ends_ms, activity_id);
CREATE INDEX /*M! IF NOT EXISTS */ activities_starts ON activities (starts_ms, activity_id);
CREATE INDEX /*M! IF NOT EXISTS */ activities_announced ON activities (state, announced, starts_ms);
CREATE INDEX /*M! IF NOT EXISTS */ activities_created ON activities (created_ms, activity_id);
CREATE INDEX /*M! IF NOT EXISTS */ activities_state_created ON activities (state, created_ms, activity_id);
-- Jobs look for the sales that are not retired, which are few of all that ever were.
CREATE INDEX /*M! IF NOT EXISTS */ activities_not_retired ON activities (retired_ms, ends_ms, activity_id);

-- currency and kind are those of the sku when the draft was written: flash_price is in this currency.
CREATE TABLE IF NOT EXISTS activity_skus (
    activity_id    VARCHAR(64) NOT NULL,
    sku_id         VARCHAR(64) NOT NULL,
    position       INT         NOT NULL,
    flash_price    BIGINT      NOT NULL,
    purchase_limit BIGINT      NOT NULL,
    currency       VARCHAR(3)  NOT NULL DEFAULT '',
    kind           VARCHAR(10) NOT NULL DEFAULT '',
    PRIMARY KEY (activity_id, sku_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The fence: every move, ensure and cancel changes these rows in its transaction, and a load holds them until Redis
-- has answered. epoch counts the loads: what was read from Redis before a load must not be written after it.
CREATE TABLE IF NOT EXISTS activity_stock (
    activity_id VARCHAR(64) NOT NULL,
    sku_id      VARCHAR(64) NOT NULL,
    point_id    VARCHAR(64) NOT NULL,
    total       BIGINT      NOT NULL,
    sold        BIGINT      NOT NULL,
    epoch       BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, sku_id, point_id),
    CHECK (sold >= 0 AND sold <= total)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- record is the JSON of the order as it was placed, the same as in Redis before. The other columns are what filters,
-- sorted lists, locks, changes of the state and joins read. An ordinary order has '' and 0 as sku_id and quantity; its
-- items are in order_items. search_name is the lower-cased titles of the items. refunds raise refunded_amount by
-- compare-and-set.
CREATE TABLE IF NOT EXISTS orders (
    number          BIGINT       NOT NULL PRIMARY KEY,
    user_id         VARCHAR(64)  NOT NULL CHECK (length(user_id) <= 256),
    task_id         VARCHAR(128) NOT NULL,
    digest          VARCHAR(32)  NOT NULL,
    type            VARCHAR(10)  NOT NULL,
    kind            VARCHAR(10)  NOT NULL,
    status          VARCHAR(10)  NOT NULL,
    shop_id         VARCHAR(64)  NOT NULL,
    activity_id     VARCHAR(64)  NOT NULL,
    point_id        VARCHAR(64)  NOT NULL,
    sku_id          VARCHAR(64)  NOT NULL,
    quantity        BIGINT       NOT NULL,
    total_amount    BIGINT       NOT NULL,
    search_name     TEXT         NOT NULL,
    pay_before_ms   BIGINT       NOT NULL,
    paid_ms         BIGINT       NOT NULL,
    cancelled_ms    BIGINT       NOT NULL,
    reason          VARCHAR(64)  NOT NULL,
    refunded_amount BIGINT       NOT NULL,
    record          MEDIUMTEXT   NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ orders_task ON orders (task_id);
CREATE INDEX /*M! IF NOT EXISTS */ orders_user ON orders (user_id, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_due ON orders (status, pay_before_ms);
-- The orders of a sale are read by their status, in the order of their numbers.
CREATE INDEX /*M! IF NOT EXISTS */ orders_activity_status ON orders (activity_id, status, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_status_number ON orders (status, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_shop_number ON orders (shop_id, number);

-- Finished orders that are old, with the columns of orders (ONRUSH_KEEP_ORDERS). An order is in one of the two tables.
-- Whoever changes an archived order moves it back first. Its items, labels and log stay where they are.
CREATE TABLE IF NOT EXISTS orders_archive (
    number          BIGINT       NOT NULL PRIMARY KEY,
    user_id         VARCHAR(64)  NOT NULL CHECK (length(user_id) <= 256),
    task_id         VARCHAR(128) NOT NULL,
    digest          VARCHAR(32)  NOT NULL,
    type            VARCHAR(10)  NOT NULL,
    kind            VARCHAR(10)  NOT NULL,
    status          VARCHAR(10)  NOT NULL,
    shop_id         VARCHAR(64)  NOT NULL,
    activity_id     VARCHAR(64)  NOT NULL,
    point_id        VARCHAR(64)  NOT NULL,
    sku_id          VARCHAR(64)  NOT NULL,
    quantity        BIGINT       NOT NULL,
    total_amount    BIGINT       NOT NULL,
    search_name     TEXT         NOT NULL,
    pay_before_ms   BIGINT       NOT NULL,
    paid_ms         BIGINT       NOT NULL,
    cancelled_ms    BIGINT       NOT NULL,
    reason          VARCHAR(64)  NOT NULL,
    refunded_amount BIGINT       NOT NULL,
    record          MEDIUMTEXT   NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ orders_archive_task ON orders_archive (task_id);
CREATE INDEX /*M! IF NOT EXISTS */ orders_archive_user ON orders_archive (user_id, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_archive_activity ON orders_archive (activity_id, status, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_archive_status ON orders_archive (status, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_archive_shop ON orders_archive (shop_id, number);

-- What operators find orders by that few of them have: client_reference, room_id, share_code, share_source and
-- inviter_id. An order without a value has no row here, but would have an entry in an index on a column.
CREATE TABLE IF NOT EXISTS order_labels (
    name   VARCHAR(16) NOT NULL,
    value  VARCHAR(64) NOT NULL,
    number BIGINT      NOT NULL,
    PRIMARY KEY (name, value, number)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The items of ordinary orders, and of an order of a sale after units of it were refunded. Refunds raise
-- refunded_quantity by compare-and-set.
CREATE TABLE IF NOT EXISTS order_items (
    order_number      BIGINT      NOT NULL,
    line              INT         NOT NULL,
    sku_id            VARCHAR(64) NOT NULL,
    kind              VARCHAR(10) NOT NULL,
    quantity          BIGINT      NOT NULL CHECK (quantity > 0),
    refunded_quantity BIGINT      NOT NULL DEFAULT 0,
    PRIMARY KEY (order_number, line)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The order's log after it was placed (placing itself stands in orders). seq counts per order.
CREATE TABLE IF NOT EXISTS order_log (
    order_number BIGINT      NOT NULL,
    seq          INT         NOT NULL,
    at_ms        BIGINT      NOT NULL,
    who          VARCHAR(80) NOT NULL,
    what         VARCHAR(64) NOT NULL,
    from_address VARCHAR(45) NOT NULL,
    trace_id     VARCHAR(32) NOT NULL DEFAULT '',
    PRIMARY KEY (order_number, seq)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What SQL decided and Redis must still carry out. kind: return (a cancelled order's units) or change (an operator's
-- delta; quantity may be negative). state: pending, done, refused.
CREATE TABLE IF NOT EXISTS stock_outbox (
    outbox_id    VARCHAR(64) NOT NULL PRIMARY KEY,
    kind         VARCHAR(10) NOT NULL,
    state        VARCHAR(10) NOT NULL,
    activity_id  VARCHAR(64) NOT NULL,
    sku_id       VARCHAR(64) NOT NULL,
    point_id     VARCHAR(64) NOT NULL,
    quantity     BIGINT      NOT NULL,
    order_number BIGINT      NOT NULL,
    user_id      VARCHAR(64) NOT NULL,
    created_ms   BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ stock_outbox_state ON stock_outbox (state, activity_id, outbox_id);

-- A payment pays one or several orders of one user. task_id and digest make its Idempotency-Key hold. next_step is the
-- JSON that tells the client how to pay. flag says why an operator should look. expires_ms is when nobody can pay any
-- more, which gateways are told. asked_ms is when the gateway was last asked before that, 0 if it was not. unanswered
-- counts how often it gave no answer afterwards: orders wait for an answer until there were enough of these. earned is
-- what of the amount paid orders: the rest went back, or nobody knows whose it is.
CREATE TABLE IF NOT EXISTS payments (
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
    next_step       TEXT         NOT NULL,
    flag            VARCHAR(32)  NOT NULL,
    deliveries      INT          NOT NULL,
    created_ms      BIGINT       NOT NULL,
    ask_ms          BIGINT       NOT NULL,
    paid_ms         BIGINT       NOT NULL,
    expires_ms      BIGINT       NOT NULL DEFAULT 0,
    asked_ms        BIGINT       NOT NULL DEFAULT 0,
    unanswered      INT          NOT NULL DEFAULT 0,
    earned          BIGINT       NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ payments_task ON payments (task_id);
CREATE INDEX /*M! IF NOT EXISTS */ payments_ask ON payments (status, ask_ms);
CREATE INDEX /*M! IF NOT EXISTS */ payments_user ON payments (user_id, pay_number);
CREATE INDEX /*M! IF NOT EXISTS */ payments_flag ON payments (flag, pay_number);
CREATE INDEX /*M! IF NOT EXISTS */ payments_channel ON payments (channel, status, ask_ms, asked_ms);
-- Operators sum what was paid in a span of time by this alone.
CREATE INDEX /*M! IF NOT EXISTS */ payments_paid ON payments (paid_ms, currency, earned, amount);
-- Operators list payments and refunds by these, newest first.
CREATE INDEX /*M! IF NOT EXISTS */ payments_status ON payments (status, pay_number);
CREATE INDEX /*M! IF NOT EXISTS */ payments_by_channel ON payments (channel, pay_number);

CREATE TABLE IF NOT EXISTS payment_orders (
    pay_number   BIGINT NOT NULL,
    order_number BIGINT NOT NULL,
    amount       BIGINT NOT NULL,
    PRIMARY KEY (pay_number, order_number)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ payment_orders_order ON payment_orders (order_number);

-- What gateways said, each event once. flag is a flag that an operator cleared; who and note say who, and why.
CREATE TABLE IF NOT EXISTS payment_notifications (
    channel        VARCHAR(16)  NOT NULL,
    event_id       VARCHAR(128) NOT NULL,
    pay_number     BIGINT       NOT NULL,
    transaction_id VARCHAR(128) NOT NULL,
    amount         BIGINT       NOT NULL,
    currency       VARCHAR(3)   NOT NULL,
    outcome        VARCHAR(32)  NOT NULL,
    at_ms          BIGINT       NOT NULL,
    flag           VARCHAR(32)  NOT NULL DEFAULT '',
    who            VARCHAR(80)  NOT NULL DEFAULT '',
    note           VARCHAR(300) NOT NULL DEFAULT '',
    PRIMARY KEY (channel, event_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ payment_notifications_payment ON payment_notifications (pay_number);
-- What is deleted by its age is found by its age.
CREATE INDEX /*M! IF NOT EXISTS */ payment_notifications_at ON payment_notifications (at_ms);

-- Money that came in: a gateway's transaction is settled once, by whatever way it was heard of.
CREATE TABLE IF NOT EXISTS payment_transactions (
    channel        VARCHAR(16)  NOT NULL,
    transaction_id VARCHAR(128) NOT NULL,
    pay_number     BIGINT       NOT NULL,
    amount         BIGINT       NOT NULL,
    currency       VARCHAR(3)   NOT NULL,
    at_ms          BIGINT       NOT NULL,
    PRIMARY KEY (channel, transaction_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The outbox of money that goes back; order_number 0 stands for the whole transaction, and part counts the refunds of
-- an order from a transaction, from 0. status: pending, done, failed. under_way_ms is when the gateway took the
-- refund, while the money is on its way, else 0. renewed counts how often the gateway used a refund's number up: each
-- time the refund is sent again under a new one. waits_for says what a pending refund waits for: gateway, balance, or
-- nothing. who and note say who asked for it, and why. outside_id is the gateway's number of a refund that was made at
-- the gateway, '' of one that was made here. sent_ms is when it was last sent: some gateways ask for a pause between
-- two refunds of a transaction.
CREATE TABLE IF NOT EXISTS refunds (
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
    done_ms        BIGINT       NOT NULL,
    under_way_ms   BIGINT       NOT NULL DEFAULT 0,
    renewed        INT          NOT NULL DEFAULT 0,
    waits_for      VARCHAR(16)  NOT NULL DEFAULT '',
    part           INT          NOT NULL DEFAULT 0,
    who            VARCHAR(80)  NOT NULL DEFAULT '',
    note           VARCHAR(200) NOT NULL DEFAULT '',
    outside_id     VARCHAR(128) NOT NULL DEFAULT '',
    sent_ms        BIGINT       NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ refunds_due ON refunds (status, next_try_ms);
CREATE INDEX /*M! IF NOT EXISTS */ refunds_payment ON refunds (pay_number);
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ refunds_part ON refunds (channel, transaction_id, order_number, part);
CREATE INDEX /*M! IF NOT EXISTS */ refunds_status ON refunds (status, refund_number);
CREATE INDEX /*M! IF NOT EXISTS */ refunds_by_channel ON refunds (channel, refund_number);
CREATE INDEX /*M! IF NOT EXISTS */ refunds_order ON refunds (order_number, refund_number);

CREATE TABLE IF NOT EXISTS job_runs (
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
CREATE INDEX /*M! IF NOT EXISTS */ job_runs_job ON job_runs (job, started_ms);

-- A job that stands here is paused, on all instances.
CREATE TABLE IF NOT EXISTS job_pauses (
    job       VARCHAR(32) NOT NULL PRIMARY KEY,
    paused_by VARCHAR(80) NOT NULL,
    paused_ms BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The memory of the sandbox gateway, for development and tests only: what a real gateway keeps on its own side.
-- Nothing but the sandbox reads or writes these tables. return_url is where its page sends the buyer.
CREATE TABLE IF NOT EXISTS sandbox_payments (
    pay_number BIGINT       NOT NULL PRIMARY KEY,
    amount     BIGINT       NOT NULL,
    currency   VARCHAR(3)   NOT NULL,
    closed_ms  BIGINT       NOT NULL,
    return_url VARCHAR(500) NOT NULL DEFAULT ''
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

CREATE TABLE IF NOT EXISTS sandbox_transactions (
    transaction_id VARCHAR(64) NOT NULL PRIMARY KEY,
    pay_number     BIGINT      NOT NULL,
    amount         BIGINT      NOT NULL,
    currency       VARCHAR(3)  NOT NULL,
    at_ms          BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ sandbox_transactions_payment ON sandbox_transactions (pay_number);

CREATE TABLE IF NOT EXISTS sandbox_refunds (
    refund_number  BIGINT      NOT NULL PRIMARY KEY,
    transaction_id VARCHAR(64) NOT NULL,
    amount         BIGINT      NOT NULL,
    at_ms          BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ sandbox_refunds_transaction ON sandbox_refunds (transaction_id);

-- What the page asked for and how the webhook answered. state: waiting, acknowledged, given_up, stopped, unheard.
-- answer is the last HTTP status, 0 where none came.
CREATE TABLE IF NOT EXISTS sandbox_notices (
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
CREATE INDEX /*M! IF NOT EXISTS */ sandbox_notices_payment ON sandbox_notices (pay_number);

-- A row per user who has had an address or placed an ordinary order. Locking it makes what a user does with these one
-- after the other, also while there is none yet. changed_ms is when they last changed, by the clock of SQL. The row of
-- the user '' says when those of any number of users changed.
CREATE TABLE IF NOT EXISTS user_locks (
    user_id    VARCHAR(64) NOT NULL PRIMARY KEY,
    changed_ms BIGINT      NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ user_locks_changed ON user_locks (changed_ms);

-- version counts the changes of what lists show of the orders of users, by a hash of the user's id. A replica on which it
-- is as high has them.
CREATE TABLE IF NOT EXISTS user_versions (
    part    INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What the stored orders of a sale add up to, so that nobody has to read them all. counted is 'a' or 's:<sku>' for the
-- units that the user of that name bought under a limit (orders neither cancelled nor failed; kept only where a limit
-- is set), 'room' or 'share_source' for orders.
CREATE TABLE IF NOT EXISTS activity_counts (
    activity_id VARCHAR(64) NOT NULL,
    counted     VARCHAR(66) NOT NULL,
    name        VARCHAR(64) NOT NULL,
    n           BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, counted, name)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- How many stored orders of a sale have each status: the sum over its parts. There are several, so that those who
-- change orders side by side don't wait for one row.
CREATE TABLE IF NOT EXISTS activity_statuses (
    activity_id VARCHAR(64) NOT NULL,
    part        INT         NOT NULL,
    unpaid      BIGINT      NOT NULL,
    paid        BIGINT      NOT NULL,
    cancelled   BIGINT      NOT NULL,
    refunded    BIGINT      NOT NULL,
    failed      BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, part)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What a sale sells, as it was when the sale was published. A draft has no rows here: it shows the skus themselves.
CREATE TABLE IF NOT EXISTS sale_skus (
    activity_id       VARCHAR(64)  NOT NULL,
    sku_id            VARCHAR(64)  NOT NULL,
    shop_id           VARCHAR(64)  NOT NULL,
    title             VARCHAR(200) NOT NULL,
    image_url         VARCHAR(500) NOT NULL,
    description       VARCHAR(2000) NOT NULL DEFAULT '',
    kind              VARCHAR(10)  NOT NULL,
    price             BIGINT       NOT NULL,
    currency          VARCHAR(3)   NOT NULL,
    freight_fee       BIGINT       NOT NULL,
    freight_free_over BIGINT       NOT NULL,
    PRIMARY KEY (activity_id, sku_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- One code per unit of a voucher. status: active, void, redeemed (when, by whom and where), disputed, lost.
CREATE TABLE IF NOT EXISTS vouchers (
    order_number   BIGINT       NOT NULL,
    line           INT          NOT NULL DEFAULT 1,
    unit           INT          NOT NULL DEFAULT 1,
    code           VARCHAR(64)  NOT NULL UNIQUE,
    status         VARCHAR(10)  NOT NULL,
    redeemed_ms    BIGINT       NOT NULL DEFAULT 0,
    redeemed_by    VARCHAR(80)  NOT NULL DEFAULT '',
    redeemed_where VARCHAR(100) NOT NULL DEFAULT '',
    PRIMARY KEY (order_number, line, unit)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The skus whose codes are a partner's, which operators imported, with how many were. imported - given - withdrawn are
-- left in voucher_codes, and are given in the order of their position; a code that is given moves to vouchers.
CREATE TABLE IF NOT EXISTS voucher_pools (
    sku_id    VARCHAR(64) NOT NULL PRIMARY KEY,
    imported  BIGINT      NOT NULL,
    given     BIGINT      NOT NULL,
    withdrawn BIGINT      NOT NULL,
    CHECK (given + withdrawn <= imported)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

CREATE TABLE IF NOT EXISTS voucher_codes (
    sku_id   VARCHAR(64) NOT NULL,
    position BIGINT      NOT NULL,
    code     VARCHAR(64) NOT NULL UNIQUE,
    PRIMARY KEY (sku_id, position)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- Units of paid vouchers for which no code was left. held: their payment is disputed, so they get none.
CREATE TABLE IF NOT EXISTS voucher_waits (
    order_number BIGINT      NOT NULL,
    line         INT         NOT NULL,
    unit         INT         NOT NULL,
    sku_id       VARCHAR(64) NOT NULL,
    since_ms     BIGINT      NOT NULL,
    held         SMALLINT    NOT NULL,
    PRIMARY KEY (order_number, line, unit)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ voucher_waits_sku ON voucher_waits (sku_id, held, since_ms, order_number);

-- Orders that are not unpaid any more and have payments: those payments are closed at their gateways where none of
-- their orders is unpaid. A row goes away once that is noted in payments.
CREATE TABLE IF NOT EXISTS payment_closes (
    order_number BIGINT NOT NULL PRIMARY KEY
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What gateways reported of a payment that nobody knows, and how often.
CREATE TABLE IF NOT EXISTS unknown_notifications (
    channel    VARCHAR(16)  NOT NULL,
    event      VARCHAR(128) NOT NULL,
    deliveries INT          NOT NULL,
    first_ms   BIGINT       NOT NULL,
    PRIMARY KEY (channel, event)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- Users and addresses that are refused in sales. kind is user or address; an address may be a network. until_ms is 0
-- where the block has no end. A row that was deleted stays for a while with deleted = 1, so that every instance reads
-- it: instances read the rows whose version is above the last one that they have.
CREATE TABLE IF NOT EXISTS blocked (
    kind       VARCHAR(8)   NOT NULL,
    subject    VARCHAR(64)  NOT NULL,
    reason     VARCHAR(200) NOT NULL,
    until_ms   BIGINT       NOT NULL,
    updated_ms BIGINT       NOT NULL,
    deleted    INT          NOT NULL,
    version    BIGINT       NOT NULL,
    PRIMARY KEY (kind, subject)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ blocked_version ON blocked (version);

-- The last version that was given. Whoever changes blocked locks this row, so that versions are committed in their
-- order.
CREATE TABLE IF NOT EXISTS blocked_head (
    id      INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What the shop platform hears: an event for each change, written in the transaction of the change. Events of one type
-- without data that one transaction writes, such as those of a batch of orders, share a row: events is how many it has.
-- id is chosen by the store, and rows may be committed in another order than that of their ids. position is NULL until
-- the row is numbered after its commit, and is that of the row's last event: its events have the positions up to it
-- without a gap, which are the ids that readers see. subject is the number of the order, payment or refund, or the
-- activity; user_id is '' for what belongs to no buyer. data is '' for events of orders, whose content is read from the
-- orders. In a row of several events, subject and user_id are '', and data is the list of the events. at_ms is the time
-- of the earliest event, last_ms that of the latest.
CREATE TABLE IF NOT EXISTS events (
    id       BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    position BIGINT      NULL,
    type     VARCHAR(32) NOT NULL,
    subject  VARCHAR(64) NOT NULL,
    user_id  VARCHAR(64) NOT NULL,
    events   INT         NOT NULL,
    at_ms    BIGINT      NOT NULL,
    last_ms  BIGINT      NOT NULL,
    data     TEXT        NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ events_position ON events (position);

-- The last position that was given, and the last one that was deleted: a stream that continues from an earlier one has
-- missed events. Whoever numbers events locks this row, so that positions are committed in their order.
CREATE TABLE IF NOT EXISTS events_head (
    id       INT    NOT NULL PRIMARY KEY,
    position BIGINT NOT NULL,
    deleted  BIGINT NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- Where events are delivered to. types is the list of event types, separated by spaces; '' is all. after_id is the
-- last event that is delivered or has a row in deliveries. Events after replay_after, up to replay_upto, are sent
-- again if they are of the time from replay_from_ms to replay_to_ms. due_ms is when the next row of deliveries has to
-- be sent, 0 if none waits; waiting counts these rows. Whoever changes deliveries locks the row of its endpoint first.
CREATE TABLE IF NOT EXISTS endpoints (
    endpoint_id       VARCHAR(64)   NOT NULL PRIMARY KEY,
    url               VARCHAR(2000) NOT NULL,
    types             VARCHAR(1000) NOT NULL DEFAULT '',
    enabled           INT           NOT NULL DEFAULT 1,
    secret            VARCHAR(100)  NOT NULL,
    previous_secret   VARCHAR(100)  NOT NULL DEFAULT '',
    previous_until_ms BIGINT        NOT NULL DEFAULT 0,
    after_id          BIGINT        NOT NULL DEFAULT 0,
    replay_after      BIGINT        NOT NULL DEFAULT 0,
    replay_upto       BIGINT        NOT NULL DEFAULT 0,
    replay_from_ms    BIGINT        NOT NULL DEFAULT 0,
    replay_to_ms      BIGINT        NOT NULL DEFAULT 0,
    lease_owner       VARCHAR(64)   NOT NULL DEFAULT '',
    lease_until_ms    BIGINT        NOT NULL DEFAULT 0,
    due_ms            BIGINT        NOT NULL DEFAULT 0,
    waiting           BIGINT        NOT NULL DEFAULT 0,
    failing_since_ms  BIGINT        NOT NULL DEFAULT 0,
    attempted_ms      BIGINT        NOT NULL DEFAULT 0,
    succeeded_ms      BIGINT        NOT NULL DEFAULT 0,
    disabled_reason   VARCHAR(64)   NOT NULL DEFAULT '',
    created_ms        BIGINT        NOT NULL DEFAULT 0,
    updated_ms        BIGINT        NOT NULL DEFAULT 0,
    version           BIGINT        NOT NULL DEFAULT 0,
    revision          BIGINT        NOT NULL DEFAULT 1
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- Whoever adds or deletes an endpoint locks this row, so that two don't add the last one that is allowed.
CREATE TABLE IF NOT EXISTS endpoints_head (
    id      INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What was delivered and what waits to be. A row is waiting, delivered or failed. answer has the first 500 bytes of
-- the receiver's. at_ms is the time of the last attempt, or of the row if there was none; next_ms is that of the next
-- attempt of a waiting row, 0 if it only waits for an earlier event of its subject.
CREATE TABLE IF NOT EXISTS deliveries (
    endpoint_id VARCHAR(64)  NOT NULL,
    event_id    BIGINT       NOT NULL,
    subject     VARCHAR(64)  NOT NULL DEFAULT '',
    type        VARCHAR(40)  NOT NULL DEFAULT '',
    status      VARCHAR(10)  NOT NULL,
    attempts    BIGINT       NOT NULL DEFAULT 0,
    status_code BIGINT       NOT NULL DEFAULT 0,
    answer      VARCHAR(500) NOT NULL DEFAULT '',
    error       VARCHAR(200) NOT NULL DEFAULT '',
    duration_ms BIGINT       NOT NULL DEFAULT 0,
    first_ms    BIGINT       NOT NULL DEFAULT 0,
    at_ms       BIGINT       NOT NULL DEFAULT 0,
    next_ms     BIGINT       NOT NULL DEFAULT 0,
    PRIMARY KEY (endpoint_id, event_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ deliveries_status ON deliveries (endpoint_id, status, event_id);
CREATE INDEX /*M! IF NOT EXISTS */ deliveries_at ON deliveries (at_ms);

-- The units that a refund names.
CREATE TABLE IF NOT EXISTS refund_items (
    refund_number BIGINT      NOT NULL,
    line          INT         NOT NULL,
    sku_id        VARCHAR(64) NOT NULL,
    quantity      BIGINT      NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (refund_number, line)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The Idempotency-Keys of operators' refunds, with the digest of the body. refund_number is 0 for a request that
-- refunds many orders.
CREATE TABLE IF NOT EXISTS refund_keys (
    task_id       VARCHAR(100) NOT NULL PRIMARY KEY,
    digest        VARCHAR(32)  NOT NULL,
    refund_number BIGINT       NOT NULL,
    created_ms    BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What operators changed: each row is written in the transaction of the change. change_id begins with the time
-- (milliseconds), so that it is the paging key, and a span of time is a span of ids. before_value and after_value are
-- JSON, '' where there was or is nothing.
CREATE TABLE IF NOT EXISTS operator_log (
    change_id    BIGINT       NOT NULL PRIMARY KEY,
    at_ms        BIGINT       NOT NULL,
    actor        VARCHAR(64)  NOT NULL,
    client_ip    VARCHAR(45)  NOT NULL,
    action       VARCHAR(40)  NOT NULL,
    target       VARCHAR(120) NOT NULL,
    before_value MEDIUMTEXT   NOT NULL,
    after_value  MEDIUMTEXT   NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ operator_log_actor ON operator_log (actor, change_id);
CREATE INDEX /*M! IF NOT EXISTS */ operator_log_action ON operator_log (action, change_id);
CREATE INDEX /*M! IF NOT EXISTS */ operator_log_target ON operator_log (target, change_id);

-- The keys with which operators' routes are called. hash is the hex SHA-256 of the secret, which nothing keeps.
-- expires_ms is 0 for never; used_ms is the last use, to the minute.
CREATE TABLE IF NOT EXISTS operator_keys (
    key_id     BIGINT      NOT NULL PRIMARY KEY,
    hash       VARCHAR(64) NOT NULL,
    name       VARCHAR(60) NOT NULL,
    scope      VARCHAR(16) NOT NULL,
    created_ms BIGINT      NOT NULL,
    created_by VARCHAR(64) NOT NULL,
    expires_ms BIGINT      NOT NULL,
    used_ms    BIGINT      NOT NULL,
    revoked_ms BIGINT      NOT NULL,
    revoked_by VARCHAR(64) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ operator_keys_hash ON operator_keys (hash);
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ operator_keys_name ON operator_keys (name);

-- The Idempotency-Keys of requests that make or move something, other than orders, payments, refunds and changes of a
-- sale's stock, whose own rows have them. caller is buyer or operator: they may have the same user_id, and an erasure
-- is the buyer's. key_id is a digest of the user_id, the route and the key, digest that of the body. claim is the
-- request that is being carried out, or was, and lease_ms until when others wait for it. status is 0 until it was
-- accepted; answer is encrypted.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    key_id     VARCHAR(32) NOT NULL PRIMARY KEY,
    caller     VARCHAR(10) NOT NULL,
    user_id    VARCHAR(64) NOT NULL,
    digest     VARCHAR(32) NOT NULL,
    claim      VARCHAR(32) NOT NULL,
    lease_ms   BIGINT      NOT NULL,
    status     INT         NOT NULL,
    answer     MEDIUMTEXT  NOT NULL,
    created_ms BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ idempotency_keys_created ON idempotency_keys (created_ms);
CREATE INDEX /*M! IF NOT EXISTS */ idempotency_keys_user ON idempotency_keys (user_id, caller);

-- Operators' notes on orders, oldest first by note_id, which begins with the time as change_id does.
CREATE TABLE IF NOT EXISTS order_notes (
    note_id      BIGINT        NOT NULL PRIMARY KEY,
    order_number BIGINT        NOT NULL,
    at_ms        BIGINT        NOT NULL,
    actor        VARCHAR(64)   NOT NULL,
    note         VARCHAR(1000) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ order_notes_order ON order_notes (order_number, note_id);

-- A dispute of a payment, as its gateway last reported it. state is open, won or lost; status is the gateway's own
-- word. refundable says that the gateway still refunds the money while the dispute is open. event_ms is the gateway's
-- time of the report, which keeps a late one from undoing a newer one.
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
-- What operators change while the program runs, as one row. body is JSON with the settings that are set. Instances read
-- the row twice a second. Redis has a copy, and the changes that were made while SQL was unavailable.
CREATE TABLE IF NOT EXISTS settings (
    id         INT    NOT NULL PRIMARY KEY,
    body       TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What all instances share for as long as the site exists, as one row: package site. number_key is the key of the
-- permutation of order numbers, hexadecimal. lanes only grows; lanes_before is their number before the last raise.
CREATE TABLE IF NOT EXISTS site (
    id           INT         NOT NULL PRIMARY KEY,
    site_id      VARCHAR(32) NOT NULL,
    lanes        INT         NOT NULL,
    lanes_before INT         NOT NULL,
    raised_ms    BIGINT      NOT NULL,
    number_key   VARCHAR(64) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What instances write to see whether the store takes writes. Each writes a row of its own most of the time.
CREATE TABLE IF NOT EXISTS write_checks (
    slot  INT    NOT NULL PRIMARY KEY,
    at_ms BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO settings (id, body, version, updated_ms)
    SELECT d.id, '{}', 1, 0 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM settings);

-- Erasures of buyers that are not complete. pseudonym replaces the user id. The other columns count what is erased;
-- events_upto is the id up to which events were looked through. Whoever erases a part locks the row, which goes away
-- with the last part, and with it the user id.
CREATE TABLE IF NOT EXISTS erasures (
    user_id     VARCHAR(64) NOT NULL PRIMARY KEY,
    pseudonym   VARCHAR(40) NOT NULL,
    orders      BIGINT      NOT NULL DEFAULT 0,
    payments    BIGINT      NOT NULL DEFAULT 0,
    addresses   BIGINT      NOT NULL DEFAULT 0,
    events_upto BIGINT      NOT NULL DEFAULT 0,
    parts       BIGINT      NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The buyers whose erasure began, by a digest of their ids: an order that is stored later and names one as its inviter
-- gets the pseudonym instead.
CREATE TABLE IF NOT EXISTS erased_users (
    user_digest VARCHAR(32) NOT NULL PRIMARY KEY,
    pseudonym   VARCHAR(40) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO stock_points_head (id, version)
    SELECT d.id, 1 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM stock_points_head);
INSERT INTO user_locks (user_id, changed_ms)
    SELECT d.id, 0 FROM (SELECT '' AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM user_locks WHERE user_id = '');
INSERT INTO blocked_head (id, version)
    SELECT d.id, 0 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM blocked_head);
INSERT INTO events_head (id, position)
    SELECT d.id, 0 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM events_head);
INSERT INTO endpoints_head (id, version)
    SELECT d.id, 0 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM endpoints_head);

-- +goose Down
DROP TABLE write_checks;
DROP TABLE site;
DROP TABLE settings;
DROP TABLE erased_users;
DROP TABLE erasures;
DROP TABLE disputes;
DROP TABLE order_notes;
DROP TABLE idempotency_keys;
DROP TABLE operator_keys;
DROP TABLE operator_log;
DROP TABLE refund_keys;
DROP TABLE refund_items;
DROP TABLE deliveries;
DROP TABLE endpoints_head;
DROP TABLE endpoints;
DROP TABLE events_head;
DROP TABLE events;
DROP TABLE blocked_head;
DROP TABLE blocked;
DROP TABLE unknown_notifications;
DROP TABLE payment_closes;
DROP TABLE voucher_waits;
DROP TABLE voucher_codes;
DROP TABLE voucher_pools;
DROP TABLE vouchers;
DROP TABLE sale_skus;
DROP TABLE activity_statuses;
DROP TABLE activity_counts;
DROP TABLE user_versions;
DROP TABLE user_locks;
DROP TABLE sandbox_notices;
DROP TABLE sandbox_refunds;
DROP TABLE sandbox_transactions;
DROP TABLE sandbox_payments;
DROP TABLE job_pauses;
DROP TABLE job_runs;
DROP TABLE refunds;
DROP TABLE payment_transactions;
DROP TABLE payment_notifications;
DROP TABLE payment_orders;
DROP TABLE payments;
DROP TABLE stock_outbox;
DROP TABLE order_log;
DROP TABLE order_items;
DROP TABLE order_labels;
DROP TABLE orders_archive;
DROP TABLE orders;
DROP TABLE activity_stock;
DROP TABLE activity_skus;
DROP TABLE activities;
DROP TABLE addresses;
DROP TABLE stock_points_head;
DROP TABLE stock_points;
DROP TABLE skus;

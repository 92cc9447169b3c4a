CREATE TABLE schema_changes (
    version     BIGINT      NOT NULL PRIMARY KEY,
    fingerprint VARCHAR(64) NOT NULL,
    applied     SMALLINT    NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE INDEX /*M! IF NOT EXISTS */ skus_by_shop ON skus (shop_id, sku_id);
CREATE INDEX /*M! IF NOT EXISTS */ skus_updated ON skus (updated_ms, sku_id);
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
CREATE INDEX /*M! IF NOT EXISTS */ activities_not_retired ON activities (retired_ms, ends_ms, activity_id);
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
CREATE INDEX /*M! IF NOT EXISTS */ orders_activity_status ON orders (activity_id, status, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_status_number ON orders (status, number);
CREATE INDEX /*M! IF NOT EXISTS */ orders_shop_number ON orders (shop_id, number);
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
CREATE TABLE IF NOT EXISTS order_labels (
    name   VARCHAR(16) NOT NULL,
    value  VARCHAR(64) NOT NULL,
    number BIGINT      NOT NULL,
    PRIMARY KEY (name, value, number)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS order_items (
    order_number      BIGINT      NOT NULL,
    line              INT         NOT NULL,
    sku_id            VARCHAR(64) NOT NULL,
    kind              VARCHAR(10) NOT NULL,
    quantity          BIGINT      NOT NULL CHECK (quantity > 0),
    refunded_quantity BIGINT      NOT NULL DEFAULT 0,
    PRIMARY KEY (order_number, line)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE INDEX /*M! IF NOT EXISTS */ payments_paid ON payments (paid_ms, currency, earned, amount);
CREATE INDEX /*M! IF NOT EXISTS */ payments_status ON payments (status, pay_number);
CREATE INDEX /*M! IF NOT EXISTS */ payments_by_channel ON payments (channel, pay_number);
CREATE TABLE IF NOT EXISTS payment_orders (
    pay_number   BIGINT NOT NULL,
    order_number BIGINT NOT NULL,
    amount       BIGINT NOT NULL,
    PRIMARY KEY (pay_number, order_number)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ payment_orders_order ON payment_orders (order_number);
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
CREATE INDEX /*M! IF NOT EXISTS */ payment_notifications_at ON payment_notifications (at_ms);
CREATE TABLE IF NOT EXISTS payment_transactions (
    channel        VARCHAR(16)  NOT NULL,
    transaction_id VARCHAR(128) NOT NULL,
    pay_number     BIGINT       NOT NULL,
    amount         BIGINT       NOT NULL,
    currency       VARCHAR(3)   NOT NULL,
    at_ms          BIGINT       NOT NULL,
    PRIMARY KEY (channel, transaction_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS job_pauses (
    job       VARCHAR(32) NOT NULL PRIMARY KEY,
    paused_by VARCHAR(80) NOT NULL,
    paused_ms BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS user_locks (
    user_id    VARCHAR(64) NOT NULL PRIMARY KEY,
    changed_ms BIGINT      NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ user_locks_changed ON user_locks (changed_ms);
CREATE TABLE IF NOT EXISTS user_versions (
    part    INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS activity_counts (
    activity_id VARCHAR(64) NOT NULL,
    counted     VARCHAR(66) NOT NULL,
    name        VARCHAR(64) NOT NULL,
    n           BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, counted, name)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS payment_closes (
    order_number BIGINT NOT NULL PRIMARY KEY
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS unknown_notifications (
    channel    VARCHAR(16)  NOT NULL,
    event      VARCHAR(128) NOT NULL,
    deliveries INT          NOT NULL,
    first_ms   BIGINT       NOT NULL,
    PRIMARY KEY (channel, event)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS blocked_head (
    id      INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS events_head (
    id       INT    NOT NULL PRIMARY KEY,
    position BIGINT NOT NULL,
    deleted  BIGINT NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS endpoints_head (
    id      INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS refund_items (
    refund_number BIGINT      NOT NULL,
    line          INT         NOT NULL,
    sku_id        VARCHAR(64) NOT NULL,
    quantity      BIGINT      NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (refund_number, line)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS refund_keys (
    task_id       VARCHAR(100) NOT NULL PRIMARY KEY,
    digest        VARCHAR(32)  NOT NULL,
    refund_number BIGINT       NOT NULL,
    created_ms    BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
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
CREATE TABLE IF NOT EXISTS order_notes (
    note_id      BIGINT        NOT NULL PRIMARY KEY,
    order_number BIGINT        NOT NULL,
    at_ms        BIGINT        NOT NULL,
    actor        VARCHAR(64)   NOT NULL,
    note         VARCHAR(1000) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ order_notes_order ON order_notes (order_number, note_id);
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
CREATE TABLE IF NOT EXISTS settings (
    id         INT    NOT NULL PRIMARY KEY,
    body       TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS site (
    id           INT         NOT NULL PRIMARY KEY,
    site_id      VARCHAR(32) NOT NULL,
    lanes        INT         NOT NULL,
    lanes_before INT         NOT NULL,
    raised_ms    BIGINT      NOT NULL,
    number_key   VARCHAR(64) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS write_checks (
    slot  INT    NOT NULL PRIMARY KEY,
    at_ms BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS erasures (
    user_id     VARCHAR(64) NOT NULL PRIMARY KEY,
    pseudonym   VARCHAR(40) NOT NULL,
    orders      BIGINT      NOT NULL DEFAULT 0,
    payments    BIGINT      NOT NULL DEFAULT 0,
    addresses   BIGINT      NOT NULL DEFAULT 0,
    events_upto BIGINT      NOT NULL DEFAULT 0,
    parts       BIGINT      NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS erased_users (
    user_digest VARCHAR(32) NOT NULL PRIMARY KEY,
    pseudonym   VARCHAR(40) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
ALTER TABLE skus ADD COLUMN required_fields VARCHAR(2000) NOT NULL DEFAULT '';
ALTER TABLE sale_skus ADD COLUMN required_fields VARCHAR(2000) NOT NULL DEFAULT '';
ALTER TABLE activities ADD COLUMN segments VARCHAR(600) NOT NULL DEFAULT '';

-- +goose Up
-- Money is in minor units, times are UTC milliseconds. MySQL and MariaDB read the text between
-- /*! and */, SQLite takes it for a comment: there, text compares byte by byte anyway.

CREATE TABLE skus (
    sku_id            VARCHAR(32)  NOT NULL PRIMARY KEY,
    shop_id           VARCHAR(32)  NOT NULL,
    title             VARCHAR(200) NOT NULL,
    image_url         VARCHAR(500) NOT NULL,
    kind              VARCHAR(10)  NOT NULL,
    price             BIGINT       NOT NULL,
    currency          VARCHAR(3)   NOT NULL,
    stock             BIGINT       NOT NULL CHECK (stock >= 0),
    freight_fee       BIGINT       NOT NULL,
    freight_free_over BIGINT       NOT NULL,
    updated_ms        BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- regions is a JSON list of region codes, which may be longer than the 64 KiB of a TEXT.
CREATE TABLE stock_points (
    point_id      VARCHAR(32)  NOT NULL PRIMARY KEY,
    name          VARCHAR(200) NOT NULL,
    regions       MEDIUMTEXT   NOT NULL,
    freight_extra BIGINT       NOT NULL,
    pickup        SMALLINT     NOT NULL,
    updated_ms    BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

CREATE TABLE addresses (
    address_id VARCHAR(32)  NOT NULL PRIMARY KEY,
    user_id    VARCHAR(64)  NOT NULL,
    receiver   VARCHAR(100) NOT NULL,
    phone      VARCHAR(40)  NOT NULL,
    region     VARCHAR(32)  NOT NULL,
    detail     VARCHAR(300) NOT NULL,
    is_default SMALLINT     NOT NULL,
    created_ms BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX addresses_user ON addresses (user_id, created_ms);

-- state: draft, published, offline. lane is 0 until the activity is published.
CREATE TABLE activities (
    activity_id    VARCHAR(32)  NOT NULL PRIMARY KEY,
    shop_id        VARCHAR(32)  NOT NULL,
    title          VARCHAR(200) NOT NULL,
    starts_ms      BIGINT       NOT NULL,
    ends_ms        BIGINT       NOT NULL,
    pay_within_s   BIGINT       NOT NULL CHECK (pay_within_s >= 1),
    purchase_limit BIGINT       NOT NULL,
    permit_ratio   DOUBLE       NOT NULL,
    state          VARCHAR(10)  NOT NULL,
    lane           INT          NOT NULL,
    created_ms     BIGINT       NOT NULL,
    retired_ms     BIGINT       NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX activities_state ON activities (state, ends_ms);

CREATE TABLE activity_skus (
    activity_id    VARCHAR(32) NOT NULL,
    sku_id         VARCHAR(32) NOT NULL,
    position       INT         NOT NULL,
    flash_price    BIGINT      NOT NULL,
    purchase_limit BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, sku_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The fence: every move, ensure and cancel changes these rows in its transaction, and a load
-- holds them until Redis has answered. epoch counts the loads: what was read from Redis before a
-- load must not be written after it.
CREATE TABLE activity_stock (
    activity_id VARCHAR(32) NOT NULL,
    sku_id      VARCHAR(32) NOT NULL,
    point_id    VARCHAR(32) NOT NULL,
    total       BIGINT      NOT NULL,
    sold        BIGINT      NOT NULL,
    epoch       BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, sku_id, point_id),
    CHECK (sold >= 0 AND sold <= total)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- address is the JSON of the address as it was; fields is the JSON of the client's free fields.
-- search_name is the lower-cased titles of the items. Absent texts are ''.
CREATE TABLE orders (
    number          BIGINT        NOT NULL PRIMARY KEY,
    user_id         VARCHAR(64)   NOT NULL CHECK (length(user_id) <= 256),
    task_id         VARCHAR(100)  NOT NULL,
    digest          VARCHAR(32)   NOT NULL,
    type            VARCHAR(10)   NOT NULL,
    kind            VARCHAR(10)   NOT NULL,
    status          VARCHAR(10)   NOT NULL,
    shop_id         VARCHAR(32)   NOT NULL,
    activity_id     VARCHAR(32)   NOT NULL,
    point_id        VARCHAR(32)   NOT NULL,
    goods_amount    BIGINT        NOT NULL,
    freight_amount  BIGINT        NOT NULL,
    total_amount    BIGINT        NOT NULL,
    currency        VARCHAR(3)    NOT NULL,
    delivery        VARCHAR(10)   NOT NULL,
    pickup_point_id VARCHAR(32)   NOT NULL,
    address         TEXT          NOT NULL,
    remark          VARCHAR(500)  NOT NULL,
    fields          TEXT          NOT NULL,
    room_id         VARCHAR(64)   NOT NULL,
    share_code      VARCHAR(64)   NOT NULL,
    share_source    VARCHAR(64)   NOT NULL,
    inviter_id      VARCHAR(64)   NOT NULL,
    search_name     TEXT          NOT NULL,
    placed_ms       BIGINT        NOT NULL,
    placed_from     VARCHAR(45)   NOT NULL,
    pay_before_ms   BIGINT        NOT NULL,
    paid_ms         BIGINT        NOT NULL,
    cancelled_ms    BIGINT        NOT NULL,
    reason          VARCHAR(64)   NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE UNIQUE INDEX orders_task ON orders (task_id);
CREATE INDEX orders_user ON orders (user_id, number);
CREATE INDEX orders_activity ON orders (activity_id, number);
CREATE INDEX orders_due ON orders (status, pay_before_ms);

CREATE TABLE order_items (
    order_number BIGINT       NOT NULL,
    line         INT          NOT NULL,
    sku_id       VARCHAR(32)  NOT NULL,
    title        VARCHAR(200) NOT NULL,
    image_url    VARCHAR(500) NOT NULL,
    quantity     BIGINT       NOT NULL CHECK (quantity > 0),
    price        BIGINT       NOT NULL,
    PRIMARY KEY (order_number, line)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- The order's log after it was placed (placing itself stands in orders). seq counts per order.
CREATE TABLE order_events (
    order_number BIGINT      NOT NULL,
    seq          INT         NOT NULL,
    at_ms        BIGINT      NOT NULL,
    who          VARCHAR(80) NOT NULL,
    what         VARCHAR(64) NOT NULL,
    from_address VARCHAR(45) NOT NULL,
    PRIMARY KEY (order_number, seq)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- What SQL decided and Redis must still carry out. kind: return (a cancelled order's units) or
-- change (an operator's delta; quantity may be negative). state: pending, done, refused.
CREATE TABLE stock_outbox (
    outbox_id    VARCHAR(64) NOT NULL PRIMARY KEY,
    kind         VARCHAR(10) NOT NULL,
    state        VARCHAR(10) NOT NULL,
    activity_id  VARCHAR(32) NOT NULL,
    sku_id       VARCHAR(32) NOT NULL,
    point_id     VARCHAR(32) NOT NULL,
    quantity     BIGINT      NOT NULL,
    order_number BIGINT      NOT NULL,
    user_id      VARCHAR(64) NOT NULL,
    created_ms   BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX stock_outbox_state ON stock_outbox (state, activity_id, outbox_id);

-- +goose Down
DROP TABLE stock_outbox;
DROP TABLE order_events;
DROP TABLE order_items;
DROP TABLE orders;
DROP TABLE activity_stock;
DROP TABLE activity_skus;
DROP TABLE activities;
DROP TABLE addresses;
DROP TABLE stock_points;
DROP TABLE skus;

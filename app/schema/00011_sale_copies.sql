-- +goose Up
-- Each statement may run again after a crash. MySQL doesn't read /*M! */: repeat.go asks there whether a column or an
-- index exists.

-- What a sale sells, as it was when the sale was published. A draft has no rows here: it shows the
-- skus themselves.
CREATE TABLE IF NOT EXISTS sale_skus (
    activity_id       VARCHAR(32)  NOT NULL,
    sku_id            VARCHAR(32)  NOT NULL,
    shop_id           VARCHAR(32)  NOT NULL,
    title             VARCHAR(200) NOT NULL,
    image_url         VARCHAR(500) NOT NULL,
    kind              VARCHAR(10)  NOT NULL,
    price             BIGINT       NOT NULL,
    currency          VARCHAR(3)   NOT NULL,
    freight_fee       BIGINT       NOT NULL,
    freight_free_over BIGINT       NOT NULL,
    PRIMARY KEY (activity_id, sku_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO sale_skus (activity_id, sku_id, shop_id, title, image_url, kind, price, currency, freight_fee, freight_free_over)
    SELECT a.activity_id, a.sku_id, s.shop_id, s.title, s.image_url, s.kind, s.price, s.currency, s.freight_fee, s.freight_free_over
    FROM activity_skus a JOIN skus s ON s.sku_id = a.sku_id JOIN activities p ON p.activity_id = a.activity_id
    WHERE p.state <> 'draft'
        AND NOT EXISTS (SELECT 1 FROM sale_skus c WHERE c.activity_id = a.activity_id AND c.sku_id = a.sku_id);

-- The changes of a sku's ordinary stock, so that each Idempotency-Key changes it once.
CREATE TABLE IF NOT EXISTS sku_stock_changes (
    change_id  VARCHAR(64) NOT NULL PRIMARY KEY,
    sku_id     VARCHAR(32) NOT NULL,
    delta      BIGINT      NOT NULL,
    created_ms BIGINT      NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- '' stands for the kind of the order. It is right for orders of one item; the items of others get
-- the kind of their skus.
ALTER TABLE order_items ADD COLUMN /*M! IF NOT EXISTS */ kind VARCHAR(10) NOT NULL DEFAULT '';
UPDATE order_items SET kind = COALESCE((SELECT s.kind FROM skus s WHERE s.sku_id = order_items.sku_id), '')
    WHERE kind = '' AND order_number IN (SELECT order_number FROM (SELECT order_number FROM order_items WHERE line = 2) AS several);

-- One code per unit of a voucher. status: active, void. An older version goes on with one per order:
-- it writes and reads the first.
CREATE TABLE IF NOT EXISTS vouchers (
    order_number BIGINT      NOT NULL PRIMARY KEY,
    code         VARCHAR(32) NOT NULL,
    status       VARCHAR(10) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE TABLE IF NOT EXISTS vouchers_by_unit (
    order_number BIGINT      NOT NULL,
    line         INT         NOT NULL DEFAULT 1,
    unit         INT         NOT NULL DEFAULT 1,
    code         VARCHAR(32) NOT NULL UNIQUE,
    status       VARCHAR(10) NOT NULL,
    PRIMARY KEY (order_number, line, unit)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO vouchers_by_unit (order_number, line, unit, code, status)
    SELECT v.order_number, COALESCE((SELECT MIN(i.line) FROM order_items i WHERE i.order_number = v.order_number AND i.kind = 'voucher'), 1),
        1, v.code, v.status
    FROM vouchers v
    WHERE NOT EXISTS (SELECT 1 FROM vouchers_by_unit u WHERE u.order_number = v.order_number);
DROP TABLE vouchers;
ALTER TABLE vouchers_by_unit RENAME TO vouchers;

-- What is deleted by its age is found by its age.
CREATE INDEX /*M! IF NOT EXISTS */ payment_events_at ON payment_events (at_ms);
CREATE INDEX /*M! IF NOT EXISTS */ sku_stock_changes_created ON sku_stock_changes (created_ms);

-- +goose Down
-- An older version knows one code per order, the first.
CREATE TABLE vouchers_by_order (
    order_number BIGINT      NOT NULL PRIMARY KEY,
    code         VARCHAR(32) NOT NULL,
    status       VARCHAR(10) NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO vouchers_by_order (order_number, code, status)
    SELECT v.order_number, v.code, v.status
    FROM vouchers v
    WHERE NOT EXISTS (SELECT 1 FROM vouchers e
        WHERE e.order_number = v.order_number AND (e.line < v.line OR e.line = v.line AND e.unit < v.unit));
DROP TABLE vouchers;
ALTER TABLE vouchers_by_order RENAME TO vouchers;
CREATE UNIQUE INDEX vouchers_code ON vouchers (code);
ALTER TABLE order_items DROP COLUMN kind;
DROP TABLE sku_stock_changes;
DROP INDEX payment_events_at /*! ON payment_events */;
DROP TABLE sale_skus;

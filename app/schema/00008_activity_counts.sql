-- +goose Up
-- What the stored orders of a sale add up to, so that nobody has to read them all. counted is
-- 'a' or 's:<sku>' for the units that the user of that name bought under a limit (orders neither
-- cancelled nor failed; kept only where a limit is set), 'room' or 'share_source' for orders.
CREATE TABLE activity_counts (
    activity_id VARCHAR(32) NOT NULL,
    counted     VARCHAR(40) NOT NULL,
    name        VARCHAR(64) NOT NULL,
    n           BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, counted, name)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT o.activity_id, 'a', o.user_id, SUM(i.quantity)
    FROM activities a JOIN orders o ON o.activity_id = a.activity_id JOIN order_items i ON i.order_number = o.number
    WHERE a.purchase_limit >= 0 AND o.status IN ('unpaid', 'paid', 'refunded') GROUP BY o.activity_id, o.user_id;
INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT o.activity_id, CONCAT('s:', i.sku_id), o.user_id, SUM(i.quantity)
    FROM activity_skus s JOIN orders o ON o.activity_id = s.activity_id
        JOIN order_items i ON i.order_number = o.number AND i.sku_id = s.sku_id
    WHERE s.purchase_limit >= 0 AND o.status IN ('unpaid', 'paid', 'refunded') GROUP BY o.activity_id, i.sku_id, o.user_id;
INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT activity_id, 'room', room_id, COUNT(*) FROM orders WHERE activity_id <> '' AND room_id <> '' GROUP BY activity_id, room_id;
INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT activity_id, 'share_source', share_source, COUNT(*) FROM orders
    WHERE activity_id <> '' AND share_source <> '' GROUP BY activity_id, share_source;

-- How many stored orders of a sale have each status: the sum over its parts. There are several,
-- so that those who change orders side by side don't wait for one row.
CREATE TABLE activity_statuses (
    activity_id VARCHAR(32) NOT NULL,
    part        INT         NOT NULL,
    unpaid      BIGINT      NOT NULL,
    paid        BIGINT      NOT NULL,
    cancelled   BIGINT      NOT NULL,
    refunded    BIGINT      NOT NULL,
    failed      BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, part)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

INSERT INTO activity_statuses (activity_id, part, unpaid, paid, cancelled, refunded, failed)
    SELECT a.activity_id, 0,
        SUM(CASE WHEN o.status = 'unpaid' THEN 1 ELSE 0 END), SUM(CASE WHEN o.status = 'paid' THEN 1 ELSE 0 END),
        SUM(CASE WHEN o.status = 'cancelled' THEN 1 ELSE 0 END), SUM(CASE WHEN o.status = 'refunded' THEN 1 ELSE 0 END),
        SUM(CASE WHEN o.status = 'failed' THEN 1 ELSE 0 END)
    FROM activities a LEFT JOIN orders o ON o.activity_id = a.activity_id WHERE a.state <> 'draft' GROUP BY a.activity_id;
INSERT INTO activity_statuses (activity_id, part, unpaid, paid, cancelled, refunded, failed)
    SELECT a.activity_id, p.part, 0, 0, 0, 0, 0
    FROM activities a CROSS JOIN (SELECT 1 AS part UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
        UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) AS p
    WHERE a.state <> 'draft';

-- The orders of a sale are read by their status, in the order of their numbers.
CREATE INDEX orders_activity_status ON orders (activity_id, status, number);
DROP INDEX orders_activity /*! ON orders */;

-- +goose Down
CREATE INDEX orders_activity ON orders (activity_id, number);
DROP INDEX orders_activity_status /*! ON orders */;
DROP TABLE activity_statuses;
DROP TABLE activity_counts;

-- +goose Up
-- Orders by room and by share source are counted without those that failed or were cancelled.
DELETE FROM activity_counts WHERE counted IN ('room', 'share_source');
INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT activity_id, 'room', room_id, COUNT(*) FROM orders
    WHERE activity_id <> '' AND room_id <> '' AND status IN ('unpaid', 'paid', 'refunded') GROUP BY activity_id, room_id;
INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT activity_id, 'share_source', share_source, COUNT(*) FROM orders
    WHERE activity_id <> '' AND share_source <> '' AND status IN ('unpaid', 'paid', 'refunded')
    GROUP BY activity_id, share_source;

-- +goose Down
DELETE FROM activity_counts WHERE counted IN ('room', 'share_source');
INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT activity_id, 'room', room_id, COUNT(*) FROM orders
    WHERE activity_id <> '' AND room_id <> '' GROUP BY activity_id, room_id;
INSERT INTO activity_counts (activity_id, counted, name, n)
    SELECT activity_id, 'share_source', share_source, COUNT(*) FROM orders
    WHERE activity_id <> '' AND share_source <> '' GROUP BY activity_id, share_source;

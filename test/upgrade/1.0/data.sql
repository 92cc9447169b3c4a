INSERT INTO activities (activity_id, shop_id, title, starts_ms, ends_ms, pay_within_s, purchase_limit, permit_ratio, state, lane, created_ms, retired_ms, human_check, limits, waiting_room, version, applied, announced, sold_out, description, image_url, images, revision, paused_ms, segments) VALUES
('akgyefcgh2ut5fqzyh4g', 'shop', 'Sale', 2741947200000, 3688027200000, 1892160000, -1, -1, 'draft', 0, 1795867200000, 0, 'none', '', '', 0, 0, 0, 0, '', '', '', 1795867200000, 0, ''),
('byownkh5hnurrneke53i', 'shop', 'Sale', 1795867140000, 3688027200000, 60, -1, -1, 'published', 4, 1795867200000, 0, 'none', '', '', 0, 0, 1, 0, '', '', '', 1795867200001, 0, ''),
('enzuk2miakl72lzj4iag', 'shop', 'Sale', 1795867140000, 3688027200000, 1892160000, -1, -1, 'published', 3, 1795867200000, 0, 'none', '', '', 0, 0, 1, 0, '', '', '', 1795867200001, 0, 'members vip'),
('fkrj6y2pe6umvpppbdz6', 'shop', 'Sale', 1795867140000, 3688027200000, 1892160000, -1, -1, 'published', 2, 1795867200000, 0, 'none', '', '', 0, 0, 1, 0, '', '', '', 1795867200001, 0, ''),
('n7adyq4ear6kzwddlf6x', 'shop', 'Sale', 1795867140000, 3688027200000, 1892160000, -1, -1, 'published', 3, 1795867200000, 0, 'none', '', '', 1, 1, 1, 0, '', '', '', 1795867200002, 1795867200000, ''),
('qbv6qxcjn7bhoivi75yt', 'shop', 'Sale', 1795867140000, 1795867260000, 60, -1, -1, 'published', 1, 1795867200000, 0, 'none', '', '', 0, 0, 2, 0, '', '', '', 1795867200001, 0, ''),
('qbztpifbpdi6s4xunmez', 'shop', 'Sale', 1795867140000, 3688027200000, 1892160000, -1, 0.5, 'published', 4, 1795867200000, 0, 'none', '', '{"paths_per_second":0.02}', 0, 0, 1, 0, '', '', '', 1795867200001, 0, ''),
('qmp5nwagjic4obupvtnv', 'shop', 'Sale', 1795867140000, 3688027200000, 1892160000, 4, -1, 'published', 1, 1795867200000, 0, 'none', '{"item":{"requests":1000,"seconds":3600}}', '', 0, 0, 1, 0, '', '', '', 1795867200002, 0, ''),
('sq6o6i7hyes5qnrxbrfz', 'shop', 'Sale', 1795867140000, 3688027200000, 1892160000, -1, -1, 'published', 1, 1795867200000, 0, 'none', '', '', 0, 0, 1, 0, '', '', '', 1795867200001, 0, ''),
('yvn4aywylhsdrqy4jhk3', 'shop', 'Sale', 2741947200000, 3688027200000, 1892160000, -1, -1, 'published', 2, 1795867200000, 0, 'none', '', '', 0, 0, 0, 0, '', '', '', 1795867200001, 0, '');
INSERT INTO activity_counts (activity_id, counted, name, n) VALUES
('qmp5nwagjic4obupvtnv', 'a', 'ada', 3),
('qmp5nwagjic4obupvtnv', 'a', 'bob', 1),
('qmp5nwagjic4obupvtnv', 'a', 'dan', 2),
('qmp5nwagjic4obupvtnv', 'a', 'fay', 0),
('qmp5nwagjic4obupvtnv', 'a', 'gil', 1),
('qmp5nwagjic4obupvtnv', 'room', 'room-8', 1),
('qmp5nwagjic4obupvtnv', 's:sku', 'ada', 3),
('qmp5nwagjic4obupvtnv', 's:sku', 'bob', 1),
('qmp5nwagjic4obupvtnv', 's:sku', 'dan', 2),
('qmp5nwagjic4obupvtnv', 's:sku', 'fay', 0),
('qmp5nwagjic4obupvtnv', 's:sku', 'gil', 1);
INSERT INTO activity_skus (activity_id, sku_id, position, flash_price, purchase_limit, currency, kind) VALUES
('akgyefcgh2ut5fqzyh4g', 'idea', 0, 100, -1, 'CNY', 'virtual'),
('byownkh5hnurrneke53i', 'quick', 0, 100, -1, 'CNY', 'virtual'),
('enzuk2miakl72lzj4iag', 'badge', 0, 100, -1, 'CNY', 'virtual'),
('fkrj6y2pe6umvpppbdz6', 'chair', 0, 1900, -1, 'CNY', 'physical'),
('n7adyq4ear6kzwddlf6x', 'held', 0, 100, -1, 'CNY', 'virtual'),
('qbv6qxcjn7bhoivi75yt', 'gone', 0, 100, -1, 'CNY', 'virtual'),
('qbztpifbpdi6s4xunmez', 'ticket', 0, 100, -1, 'CNY', 'virtual'),
('qmp5nwagjic4obupvtnv', 'sku', 0, 100, 3, 'CNY', 'virtual'),
('sq6o6i7hyes5qnrxbrfz', 'sample', 0, 0, -1, 'CNY', 'virtual'),
('yvn4aywylhsdrqy4jhk3', 'later', 0, 100, -1, 'CNY', 'virtual');
INSERT INTO activity_statuses (activity_id, part, unpaid, paid, cancelled, refunded, failed) VALUES
('byownkh5hnurrneke53i', 0, 0, 0, 0, 0, 0),
('byownkh5hnurrneke53i', 1, 0, 0, 0, 0, 0),
('byownkh5hnurrneke53i', 2, 0, 0, 0, 0, 0),
('byownkh5hnurrneke53i', 3, 0, 0, 0, 0, 0),
('byownkh5hnurrneke53i', 4, 0, 0, 0, 0, 0),
('byownkh5hnurrneke53i', 5, 0, 0, 0, 0, 0),
('byownkh5hnurrneke53i', 6, 1, 0, 0, 0, 0),
('byownkh5hnurrneke53i', 7, 0, 0, 0, 0, 0),
('enzuk2miakl72lzj4iag', 0, 1, 0, 0, 0, 0),
('enzuk2miakl72lzj4iag', 1, 0, 0, 0, 0, 0),
('enzuk2miakl72lzj4iag', 2, 0, 0, 0, 0, 0),
('enzuk2miakl72lzj4iag', 3, 0, 0, 0, 0, 0),
('enzuk2miakl72lzj4iag', 4, 0, 0, 0, 0, 0),
('enzuk2miakl72lzj4iag', 5, 0, 0, 0, 0, 0),
('enzuk2miakl72lzj4iag', 6, 1, 0, 0, 1, 0),
('enzuk2miakl72lzj4iag', 7, 0, 0, 0, 0, 0),
('fkrj6y2pe6umvpppbdz6', 0, 0, 0, 0, 0, 0),
('fkrj6y2pe6umvpppbdz6', 1, 0, 0, 0, 0, 0),
('fkrj6y2pe6umvpppbdz6', 2, 0, 0, 0, 0, 0),
('fkrj6y2pe6umvpppbdz6', 3, 1, 0, 0, 0, 0),
('fkrj6y2pe6umvpppbdz6', 4, 1, 1, 0, 1, 0),
('fkrj6y2pe6umvpppbdz6', 5, 0, 0, 0, 0, 0),
('fkrj6y2pe6umvpppbdz6', 6, 0, 0, 0, 0, 0),
('fkrj6y2pe6umvpppbdz6', 7, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 0, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 1, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 2, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 3, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 4, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 5, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 6, 0, 0, 0, 0, 0),
('n7adyq4ear6kzwddlf6x', 7, 0, 0, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 0, 0, 0, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 1, 0, 0, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 2, 0, 0, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 3, 0, 0, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 4, 0, 0, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 5, 0, 0, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 6, 0, 1, 0, 0, 0),
('qbv6qxcjn7bhoivi75yt', 7, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 0, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 1, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 2, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 3, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 4, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 5, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 6, 0, 0, 0, 0, 0),
('qbztpifbpdi6s4xunmez', 7, 0, 0, 0, 0, 0),
('qmp5nwagjic4obupvtnv', 0, 1, 0, 0, 0, 0),
('qmp5nwagjic4obupvtnv', 1, 0, 0, 0, 0, 0),
('qmp5nwagjic4obupvtnv', 2, 0, 0, 0, 0, 0),
('qmp5nwagjic4obupvtnv', 3, 3, 2, 1, 0, 0),
('qmp5nwagjic4obupvtnv', 4, -1, 0, 1, 0, 0),
('qmp5nwagjic4obupvtnv', 5, 0, 0, 0, 0, 0),
('qmp5nwagjic4obupvtnv', 6, 0, 0, 0, 0, 0),
('qmp5nwagjic4obupvtnv', 7, 0, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 0, 0, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 1, 0, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 2, 0, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 3, 1, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 4, 0, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 5, 0, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 6, 1, 0, 0, 0, 0),
('sq6o6i7hyes5qnrxbrfz', 7, 0, 0, 0, 0, 1),
('yvn4aywylhsdrqy4jhk3', 0, 0, 0, 0, 0, 0),
('yvn4aywylhsdrqy4jhk3', 1, 0, 0, 0, 0, 0),
('yvn4aywylhsdrqy4jhk3', 2, 0, 0, 0, 0, 0),
('yvn4aywylhsdrqy4jhk3', 3, 0, 0, 0, 0, 0),
('yvn4aywylhsdrqy4jhk3', 4, 0, 0, 0, 0, 0),
('yvn4aywylhsdrqy4jhk3', 5, 0, 0, 0, 0, 0),
('yvn4aywylhsdrqy4jhk3', 6, 0, 0, 0, 0, 0),
('yvn4aywylhsdrqy4jhk3', 7, 0, 0, 0, 0, 0);
INSERT INTO activity_stock (activity_id, sku_id, point_id, total, sold, epoch) VALUES
('akgyefcgh2ut5fqzyh4g', 'idea', '0', 100, 0, 0),
('byownkh5hnurrneke53i', 'quick', '0', 5, 1, 1),
('enzuk2miakl72lzj4iag', 'badge', '0', 10, 3, 1),
('fkrj6y2pe6umvpppbdz6', 'chair', 'east', 10, 2, 1),
('fkrj6y2pe6umvpppbdz6', 'chair', 'south', 10, 3, 1),
('n7adyq4ear6kzwddlf6x', 'held', '0', 100, 0, 1),
('qbv6qxcjn7bhoivi75yt', 'gone', '0', 100, 1, 1),
('qbztpifbpdi6s4xunmez', 'ticket', '0', 10, 0, 1),
('qmp5nwagjic4obupvtnv', 'sku', '0', 42, 7, 1),
('sq6o6i7hyes5qnrxbrfz', 'sample', '0', 4, 2, 1),
('yvn4aywylhsdrqy4jhk3', 'later', '0', 100, 0, 1);
INSERT INTO addresses (address_id, user_id, receiver, phone, region, detail, is_default, created_ms) VALUES
('yiyqusgn6hzds7thfrzq', 'bob', 'bob', '13800000000', 'guangdong', '1 Main Street', 1, 1795867200000),
('yjsb7uaclz6almhx5zyc', 'fay', 'fay', '13800000000', 'shanghai', '1 Main Street', 1, 1795867500000),
('z74iqz2bhw22n6q6izt3', 'ada', 'ada', '13800000000', 'shanghai', '1 Main Street', 1, 1795867200000);
INSERT INTO blocked (kind, subject, reason, until_ms, updated_ms, deleted, version) VALUES
('user', 'mallory', 'resells', 0, 1795867500000, 0, 1);
INSERT INTO blocked_head (id, version) VALUES
(1, 1);
INSERT INTO deliveries (endpoint_id, event_id, subject, type, status, attempts, status_code, answer, error, duration_ms, first_ms, at_ms, next_ms) VALUES
('erp', 1839022539977728, 'qmp5nwagjic4obupvtnv', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 1, 1795867500000, 1795867500000, 1795867504716),
('erp', 1839022539977729, 'fkrj6y2pe6umvpppbdz6', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 1, 1795867500000, 1795867500000, 1795867504376),
('erp', 1839022539977730, 'enzuk2miakl72lzj4iag', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 1, 1795867500000, 1795867500000, 1795867505011),
('erp', 1839022539977731, 'qbztpifbpdi6s4xunmez', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867504205),
('erp', 1839022539977732, 'sq6o6i7hyes5qnrxbrfz', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867505465),
('erp', 1839022539977733, 'yvn4aywylhsdrqy4jhk3', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867504002),
('erp', 1839022539977734, 'n7adyq4ear6kzwddlf6x', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867505132),
('erp', 1839022539977735, 'byownkh5hnurrneke53i', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867504318),
('erp', 1839022539977736, 'qbv6qxcjn7bhoivi75yt', 'activity.published', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 1, 1795867500000, 1795867500000, 1795867504756),
('erp', 1839022539977737, 'n7adyq4ear6kzwddlf6x', 'activity.paused', 'waiting', 0, 0, '', '', 0, 0, 1795867500000, 0),
('erp', 1839022539977738, '394277997776783541', 'order.placed', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 1, 1795867500000, 1795867500000, 1795867505916),
('erp', 1839022539977739, '394277997774819139', 'order.placed', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 1, 1795867500000, 1795867500000, 1795867505899),
('erp', 1839022539977740, '394277997774819139', 'order.paid', 'waiting', 0, 0, '', '', 0, 0, 1795867500000, 0),
('erp', 1839022539977741, '394277997776783541', 'order.paid', 'waiting', 0, 0, '', '', 0, 0, 1795867500000, 0),
('erp', 1839022539977742, '394277997773890636', 'order.placed', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867504176),
('erp', 1839022539977743, '394277997773890636', 'order.paid', 'waiting', 0, 0, '', '', 0, 0, 1795867500000, 0),
('erp', 1839022539977744, '394277997789729742', 'order.placed', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867504431),
('erp', 1839022539977745, '394277997778216336', 'order.placed', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867504213),
('erp', 1839022539977746, '394277997778989221', 'order.placed', 'waiting', 1, 0, '', 'dial tcp 127.0.0.1:1: connect: connection refused', 0, 1795867500000, 1795867500000, 1795867504941);
INSERT INTO endpoints (endpoint_id, url, types, enabled, secret, previous_secret, previous_until_ms, after_id, replay_after, replay_upto, replay_from_ms, replay_to_ms, lease_owner, lease_until_ms, due_ms, waiting, failing_since_ms, attempted_ms, succeeded_ms, disabled_reason, created_ms, updated_ms, version, revision) VALUES
('erp', 'http://127.0.0.1:1/hooks', '', 1, 'whsec_Ss5qAXUfcpGtnQogRQf6Y+GlcTKWaDW5iN3EYugMwJE=', '', 0, 1839022539977746, 0, 0, 0, 0, 'vm-hg7wlnbc', 1795867540000, 1795867504002, 19, 1795867500000, 1795867500000, 0, '', 1795867200000, 1795867200000, 0, 1795867200000);
INSERT INTO endpoints_head (id, version) VALUES
(1, 1);
INSERT INTO erased_users (user_digest, pseudonym) VALUES
('KQ673dOz0Yrthjd97RYJCl6Chfvmvz8m', 'erased-QV6EGTMDZU6TH6DW24TOWRZQMC');
INSERT INTO events (id, position, type, subject, user_id, events, at_ms, last_ms, data) VALUES
(1, 1839022539977728, 'activity.published', 'qmp5nwagjic4obupvtnv', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"qmp5nwagjic4obupvtnv","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":4,"skus":[{"sku_id":"sku","flash_price":100,"currency":"CNY","purchase_limit":3,"total":40,"sold":0}]}}'),
(10, 1839022539977737, 'activity.paused', 'n7adyq4ear6kzwddlf6x', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"n7adyq4ear6kzwddlf6x","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"held","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":100,"sold":0}]}}'),
(11, 1839022539977739, 'order.placed', '', '', 2, 1795867200000, 1795867200000, '[{"subject":"394277997776783541","user_id":"ada","at_ms":1795867200000},{"subject":"394277997774819139","user_id":"ada","at_ms":1795867200000}]'),
(12, 1839022539977740, 'order.paid', '394277997774819139', 'ada', 1, 1795867200000, 1795867200000, ''),
(13, 1839022539977741, 'order.paid', '394277997776783541', 'ada', 1, 1795867200000, 1795867200000, ''),
(14, 1839022539977742, 'order.placed', '394277997773890636', 'eve', 1, 1795867200000, 1795867200000, ''),
(15, 1839022539977743, 'order.paid', '394277997773890636', 'eve', 1, 1795867200000, 1795867200000, ''),
(16, 1839022539977744, 'order.placed', '394277997789729742', 'mem', 1, 1795867200000, 1795867200000, ''),
(17, 1839022539977750, 'order.placed', '', '', 6, 1795867200000, 1795867200000, '[{"subject":"394277997778216336","user_id":"ada","at_ms":1795867200000},{"subject":"394277997778989221","user_id":"bob","at_ms":1795867200000},{"subject":"394277997779487685","user_id":"ada","at_ms":1795867200000},{"subject":"394277997780307655","user_id":"mem","at_ms":1795867200000},{"subject":"394277997780887773","user_id":"bob","at_ms":1795867200000},{"subject":"394277997780893682","user_id":"mem","at_ms":1795867200000}]'),
(18, 1839022539977753, 'order.placed', '', '', 3, 1795867200000, 1795867200000, '[{"subject":"394277997782248054","user_id":"bob","at_ms":1795867200000},{"subject":"394277997783948801","user_id":"bob","at_ms":1795867200000},{"subject":"394277997785131265","user_id":"ada","at_ms":1795867200000}]'),
(19, 1839022539977754, 'order.placed', '394277997785585072', 'mem', 1, 1795867200000, 1795867200000, ''),
(2, 1839022539977729, 'activity.published', 'fkrj6y2pe6umvpppbdz6', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"fkrj6y2pe6umvpppbdz6","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"chair","flash_price":1900,"currency":"CNY","purchase_limit":-1,"total":20,"sold":0}]}}'),
(20, 1839022539977755, 'order.paid', '394277997779487685', 'ada', 1, 1795867200000, 1795867200000, ''),
(21, 1839022539977756, 'order.paid', '394277997780307655', 'mem', 1, 1795867200000, 1795867200000, ''),
(22, 1839022539977757, 'order.cancelled', '394277997780887773', 'bob', 1, 1795867200000, 1795867200000, ''),
(23, 1839022539977758, 'order.paid', '394277997783948801', 'bob', 1, 1795867200000, 1795867200000, ''),
(24, 1839022539977759, 'order.paid', '394277997782248054', 'bob', 1, 1795867200000, 1795867200000, ''),
(25, 1839022539977760, 'order.refunded', '394277997783948801', 'bob', 1, 1795867200000, 1795867200000, '{"status":"refunded","refunded_amount":1900,"refund":{"refund_number":"394277998364366845","amount":1900,"currency":"CNY"}}'),
(26, 1839022539977761, 'order.refunded', '394277997782248054', 'bob', 1, 1795867200000, 1795867200000, '{"status":"paid","refunded_amount":1900,"refund":{"refund_number":"394277999928201705","amount":1900,"currency":"CNY","items":[{"sku_id":"chair","quantity":1}]}}'),
(27, 1839022539977762, 'refund.done', '394277998364366845', 'bob', 1, 1795867200000, 1795867200000, '{"refund":{"refund_number":"394277998364366845","pay_number":"394277998488430794","channel":"sandbox","transaction_id":"txn-394277998488430794","order_number":"394277997783948801","amount":1900,"currency":"CNY","reason":"operator","operator_reason":"broken","requested_by":"operator:operator","status":"done","attempts":0,"created_at":"2026-11-28T12:00:00.000Z","done_at":"2026-11-28T12:00:00.000Z"}}'),
(28, 1839022539977763, 'refund.done', '394277999928201705', 'bob', 1, 1795867200000, 1795867200000, '{"refund":{"refund_number":"394277999928201705","pay_number":"394278000956453699","channel":"sandbox","transaction_id":"txn-394278000956453699","order_number":"394277997782248054","amount":1900,"currency":"CNY","items":[{"sku_id":"chair","quantity":1}],"reason":"operator","operator_reason":"a scratch","requested_by":"operator:operator","status":"done","attempts":0,"created_at":"2026-11-28T12:00:00.000Z","done_at":"2026-11-28T12:00:00.000Z"}}'),
(29, 1839022539977764, 'activity.started', 'qmp5nwagjic4obupvtnv', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"qmp5nwagjic4obupvtnv","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":4,"skus":[{"sku_id":"sku","flash_price":100,"currency":"CNY","purchase_limit":3,"total":42,"sold":4}]}}'),
(3, 1839022539977730, 'activity.published', 'enzuk2miakl72lzj4iag', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"enzuk2miakl72lzj4iag","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"badge","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":10,"sold":0}]}}'),
(30, 1839022539977765, 'activity.started', 'fkrj6y2pe6umvpppbdz6', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"fkrj6y2pe6umvpppbdz6","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"chair","flash_price":1900,"currency":"CNY","purchase_limit":-1,"total":20,"sold":4}]}}'),
(31, 1839022539977766, 'activity.started', 'enzuk2miakl72lzj4iag', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"enzuk2miakl72lzj4iag","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"badge","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":10,"sold":1}]}}'),
(32, 1839022539977767, 'activity.started', 'qbztpifbpdi6s4xunmez', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"qbztpifbpdi6s4xunmez","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"ticket","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":10,"sold":0}]}}'),
(33, 1839022539977768, 'activity.started', 'sq6o6i7hyes5qnrxbrfz', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"sq6o6i7hyes5qnrxbrfz","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"sample","flash_price":0,"currency":"CNY","purchase_limit":-1,"total":5,"sold":1}]}}'),
(34, 1839022539977769, 'activity.started', 'n7adyq4ear6kzwddlf6x', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"n7adyq4ear6kzwddlf6x","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"held","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":100,"sold":0}]}}'),
(35, 1839022539977770, 'activity.started', 'byownkh5hnurrneke53i', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"byownkh5hnurrneke53i","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":60,"purchase_limit":-1,"skus":[{"sku_id":"quick","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":5,"sold":1}]}}'),
(36, 1839022539977771, 'activity.started', 'qbv6qxcjn7bhoivi75yt', '', 1, 1795867140000, 1795867140000, '{"activity":{"activity_id":"qbv6qxcjn7bhoivi75yt","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2026-11-28T12:01:00.000Z","pay_within_s":60,"purchase_limit":-1,"skus":[{"sku_id":"gone","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":100,"sold":1}]}}'),
(37, 1839022539977772, 'activity.ended', 'qbv6qxcjn7bhoivi75yt', '', 1, 1795867260000, 1795867260000, '{"activity":{"activity_id":"qbv6qxcjn7bhoivi75yt","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2026-11-28T12:01:00.000Z","pay_within_s":60,"purchase_limit":-1,"skus":[{"sku_id":"gone","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":100,"sold":1}]}}'),
(38, 1839022539977773, 'order.failed', '394279286268700412', 'cat', 1, 1795867500000, 1795867500000, ''),
(39, 1839022539977774, 'order.placed', '394279286278350410', 'mem', 1, 1795867500000, 1795867500000, ''),
(4, 1839022539977731, 'activity.published', 'qbztpifbpdi6s4xunmez', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"qbztpifbpdi6s4xunmez","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"ticket","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":10,"sold":0}]}}'),
(40, 1839022539977775, 'order.paid', '394279286278350410', 'mem', 1, 1795867500000, 1795867500000, ''),
(41, 1839022539977776, 'order.refunded', '394279286278350410', 'mem', 1, 1795867500000, 1795867500000, '{"status":"refunded","refunded_amount":100,"refund":{"refund_number":"394279289535849803","amount":100,"currency":"CNY"}}'),
(42, 1839022539977777, 'order.placed', '394279286263386959', 'erased-QV6EGTMDZU6TH6DW24TOWRZQMC', 1, 1795867500000, 1795867500000, ''),
(43, 1839022539977778, 'order.cancelled', '394279286263386959', 'erased-QV6EGTMDZU6TH6DW24TOWRZQMC', 1, 1795867500000, 1795867500000, ''),
(44, 1839022539977779, 'order.placed', '394279286268268034', 'gil', 1, 1795867500000, 1795867500000, ''),
(45, 1839022539977780, 'order.paid', '394279286268268034', 'gil', 1, 1795867500000, 1795867500000, ''),
(46, 1839022539977781, 'order.placed', '394279286268889609', 'fay', 1, 1795867500000, 1795867500000, ''),
(47, 1839022539977782, 'order.cancelled', '394279286268889609', 'fay', 1, 1795867500000, 1795867500000, ''),
(48, NULL, 'order.placed', '394279286268703235', 'ada', 1, 1795867500000, 1795867500000, ''),
(49, NULL, 'order.placed', '394279286271032525', 'dan', 1, 1795867500000, 1795867500000, ''),
(5, 1839022539977732, 'activity.published', 'sq6o6i7hyes5qnrxbrfz', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"sq6o6i7hyes5qnrxbrfz","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"sample","flash_price":0,"currency":"CNY","purchase_limit":-1,"total":5,"sold":0}]}}'),
(50, NULL, 'order.placed', '394279286272258773', 'fay', 1, 1795867500000, 1795867500000, ''),
(51, NULL, 'order.placed', '394279286278124870', 'vip', 1, 1795867500000, 1795867500000, ''),
(6, 1839022539977733, 'activity.published', 'yvn4aywylhsdrqy4jhk3', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"yvn4aywylhsdrqy4jhk3","shop_id":"shop","title":"Sale","state":"published","starts_at":"2056-11-20T12:00:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"later","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":100,"sold":0}]}}'),
(7, 1839022539977734, 'activity.published', 'n7adyq4ear6kzwddlf6x', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"n7adyq4ear6kzwddlf6x","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"skus":[{"sku_id":"held","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":100,"sold":0}]}}'),
(8, 1839022539977735, 'activity.published', 'byownkh5hnurrneke53i', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"byownkh5hnurrneke53i","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":60,"purchase_limit":-1,"skus":[{"sku_id":"quick","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":5,"sold":0}]}}'),
(9, 1839022539977736, 'activity.published', 'qbv6qxcjn7bhoivi75yt', '', 1, 1795867200000, 1795867200000, '{"activity":{"activity_id":"qbv6qxcjn7bhoivi75yt","shop_id":"shop","title":"Sale","state":"published","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2026-11-28T12:01:00.000Z","pay_within_s":60,"purchase_limit":-1,"skus":[{"sku_id":"gone","flash_price":100,"currency":"CNY","purchase_limit":-1,"total":100,"sold":0}]}}');
INSERT INTO events_head (id, position, deleted) VALUES
(1, 1839022539977782, 0);
INSERT INTO idempotency_keys (key_id, caller, user_id, digest, claim, lease_ms, status, answer, created_ms) VALUES
('84rKa3ZKotdXGE3RYlt3sw', 'operator', 'operator', 'Wrd7FnJ0bc95EEJZVyMPYg', 'kBTr3jDG3RNOZIWElsLADQ', 1795867570000, 201, 'JvoN0t7+3PMu5C7gbzJLmDEbE6s6TvTVGenbYUw7oG3aVb+dIIkiltqf+xfIi7Dt7R8jJdVmLKKTeGttkwwuRdDSEOM9+0KsuCd8AcOpNW4Zri3v29Dgcput4cTuH2MvlZS6p2mXRKeFlATx4Z4A4EL0ubPQAqj2VG/3dhpu/nTQESAjpvqfYrmgjafg+2O1J0ZwC9Kz+/rK7PbOli57Y12FvNTWZYKkAC/nSHJ+clhGmmlBEis0OnKr8qD5Q5anquHJxFtCh9ZvHQkASUuIA413v+mXidqx67l8fBDv+l7z8vPF8rxo4eEwcX/NO9UAi/YM3caniEawAgaH2QAscGMGT+jzqgqT', 1795867500000),
('9B1KhxBDMz02z5XgjyUufg', 'operator', 'operator', 'BJf8xlnoiN0_vcXunwAcrg', 'QQqUuvtEE4lTWh5HjOOggQ', 1795867570000, 201, 'fVoGU/qEreB8yAFcPGIH6APFA3mZg7a/FdhC1SmJbdNvp8R9fRem6OFFmv3+dZYgpdKWBMV2iZRfMBAcXJXwR23VD1zWPHlEj3zAwivFHRkG6Ss+a7tSdc1KpJgoBFd77jJxN458GYeDkKgqKqAfY8h6W0gp3kKlB1ku2GYGKrV0LSMSCDcNzpaTleqFmSK8KUhB9ZWNwyHVAG38xMniXcP510Xzqo6kDp5p3P7RmoHHPg3vewPPG+EbSsYeO3GMuTUAftf2c8AvqMy3WCCJm4thGPO0AwVqG0dZ5REqha55uNEC+yfdhPFdnC1Dk17inXqos1g7bsHsa63r5MoSVFp5ukSAPH8/', 1795867500000),
('AprAzfhyogb2N5zcnsmSTA', 'operator', 'operator', 'WlBKrbccouFEHMeT4PkduQ', 'dEcHKL-g3pTYotJYVhlU7g', 1795867570000, 201, '7UsHpJkeOgoAZPMdPbe5xycbqZGAZmrRWV9jPphI6w9g9O0o62beRkh3IsVD8EjbDiSvoCzbwjtk9cuW2KtsPSa2RnTJSt0Me0EP1x3kGR1CiX9EB6aBiBM570tHlvCD8l3oYDW26tVDXOuA/RZotZcxVIUEB9rGAsaYf175hJOkc7UIdIJjpNjegDgPFXqfCG8T7i09nq4XNGqscwdAt6oBIrtfOH/6A/ufF9+ZVBaoJ79cLxNfUOO80h9fa+rQw19Zx4cnfVwLe94/fF3Z9hKiuKi/8mN9R3rhauWVbbGY9z+e', 1795867500000),
('X2f_C8PESNu6teL5ywnfVw', 'operator', 'operator', 'Dez6n-cUW1j7V0C4_DjkSA', 'ajQAinuV3l1lXOPh6BQc_Q', 1795867570000, 200, 'Za9wdR5hxGrz40yMCjj3x5IcBXQYAYBJh+scHOtd1TBTvqSy9AVDn5F2bSHFBTR/8FKF8ZvSufF64Gl1JaZbvinnLCeUwNdRKrQqr4Pcm1Ee9iLSyYuLUy2isjsgGpKkjZvdppMf3EYJIs0DJo+bz4Evf0nqI88vx7qysLXcfSqUdY1jgrjMDP5uiz1CQPwUBzS1giFH504OR9d6f4HHMIvO9HMrWnZVSk2hi/nwytavgMMCUuHiUMLv', 1795867500000),
('__WyMyXuOnIy_wcuTHWqVQ', 'operator', 'operator', 'eaWluiewm-F4RY8TtOHh7Q', 'RgtVQA8eLe1IBJz2WUR-3A', 1795867270000, 200, 'DN2RxLD5btmFJ4YKIMVE6A6aD8H4mNL6hWnARDXyEr2tkh+xOtJIWrDfU+M6jjKaQNHXrIQbBC5ygQqBFZO69P2UIgFumVMhKfsOzs5ixFlVMq7veYXj0LgaC+ezcy/W2XD+OrCNVhag2erHXDYWf5r73dir/g', 1795867200000),
('biyRI-Pdr2oay5U0JicjUw', 'operator', 'operator', 'UM_vbi1vFS1EYCUXGl7LDw', 'if5HH0_eMjxUGcTLjxWtJg', 1795867570000, 200, 'PgZTXF8v8k+u8WPO8MKykqBgOn6IOHqtOJ5qF1E7isgiRTEHY36deUqeUCfDCAmezZ/ffVAs5mJ87vU4Uo2ACWUSV7dMi0+M9YrHrWRUbHwOUrUdEcpWpDNbeLhz8arJ7a9qa2i2iirG4StDXpaOcQfA38obqjfpLZCNLMqgk0elG9qPNPZPN6W9z6vvN/A6qq1Te++4OJafeeb/RNZLMCXRidMYEOluXKHtSrbv', 1795867500000);
INSERT INTO job_pauses (job, paused_by, paused_ms) VALUES
('delete_finished', 'operator', 1795867500000);
INSERT INTO operator_keys (key_id, hash, name, scope, created_ms, created_by, expires_ms, used_ms, revoked_ms, revoked_by) VALUES
(385038365493126824, 'd0a57ed240f8fb5f31e5e79539040e0f6dab59b2bfcf4cdb7e4cb172090225d4', 'reader', 'read', 1795867500000, 'operator', 0, 0, 0, ''),
(385038365494077532, '19e678edcfb2b3be4c49fe56228f49bd48d38a3fc11e688ac4d49af1ea4f2c93', 'till', 'till', 1795867500000, 'operator', 0, 0, 0, '');
INSERT INTO operator_log (change_id, at_ms, actor, client_ip, action, target, before_value, after_value) VALUES
(385037107200363100, 1795867200000, 'operator', '127.0.0.1', 'vouchers.imported', 'sku:spa', '', '{"codes":1}'),
(385037107201183075, 1795867200000, 'operator', '127.0.0.1', 'sku.created', 'sku:spa', '', '{"sku_id":"spa","title":"Gift card","shop_id":"shop","image_url":"","description":"","kind":"voucher","price":1000,"currency":"CNY","stock":50,"version":1795867200000,"freight":{"fee":0,"free_over":0},"stock_version":1}'),
(385037107202137159, 1795867200000, 'operator', '127.0.0.1', 'sku.created', 'sku:card', '', '{"sku_id":"card","title":"点卡","shop_id":"games","image_url":"","description":"","kind":"virtual","price":100,"currency":"CNY","stock":50,"version":1795867200000,"freight":{"fee":0,"free_over":0},"required_fields":["account"],"stock_version":1}'),
(385037107202301485, 1795867200000, 'operator', '127.0.0.1', 'sku.created', 'sku:lamp', '', '{"sku_id":"lamp","title":"Desk lamp \"Noon\"","shop_id":"shop","image_url":"https://img.example/lamp.png","description":"Warm light, three levels.","kind":"physical","price":4900,"currency":"CNY","stock":50,"version":1795867200000,"freight":{"fee":600,"free_over":100000},"stock_version":1}'),
(385037107202744832, 1795867200000, 'operator', '127.0.0.1', 'order.refunded', 'order:394277997783948801', '', '{"refund_number":"394277998364366845","pay_number":"394277998488430794","channel":"sandbox","transaction_id":"txn-394277998488430794","order_number":"394277997783948801","amount":1900,"currency":"CNY","reason":"operator","operator_reason":"broken","requested_by":"operator:operator","status":"pending","attempts":0,"next_try_at":"2026-11-28T12:00:00.000Z","created_at":"2026-11-28T12:00:00.000Z"}'),
(385037107203435273, 1795867200000, 'operator', '127.0.0.1', 'order.refunded', 'order:394277997782248054', '', '{"refund_number":"394277999928201705","pay_number":"394278000956453699","channel":"sandbox","transaction_id":"txn-394278000956453699","order_number":"394277997782248054","amount":1900,"currency":"CNY","items":[{"sku_id":"chair","quantity":1}],"reason":"operator","operator_reason":"a scratch","requested_by":"operator:operator","status":"pending","attempts":0,"next_try_at":"2026-11-28T12:00:00.000Z","created_at":"2026-11-28T12:00:00.000Z"}'),
(385037107203523508, 1795867200000, 'operator', '127.0.0.1', 'endpoint.registered', 'endpoint:erp', '', '{"url":"http://127.0.0.1:1/hooks","types":null,"enabled":true,"version":1795867200000}'),
(385037107203790234, 1795867200000, 'operator', '127.0.0.1', 'activity.paused', 'activity:n7adyq4ear6kzwddlf6x', '{"activity_id":"n7adyq4ear6kzwddlf6x","title":"Sale","shop_id":"shop","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"permit_ratio":-1,"state":"published","lane":3,"created_at":"2026-11-28T12:00:00.000Z","human_check":"none","limits":{},"version":1795867200001,"skus":[{"sku_id":"held","flash_price":100,"currency":"CNY","purchase_limit":-1,"stock":[{"point_id":"0","quantity":100}]}]}', '{"activity_id":"n7adyq4ear6kzwddlf6x","title":"Sale","shop_id":"shop","starts_at":"2026-11-28T11:59:00.000Z","ends_at":"2086-11-13T12:00:00.000Z","pay_within_s":1892160000,"purchase_limit":-1,"permit_ratio":-1,"state":"published","lane":3,"created_at":"2026-11-28T12:00:00.000Z","paused_at":"2026-11-28T12:00:00.000Z","human_check":"none","limits":{},"version":1795867200002,"skus":[{"sku_id":"held","flash_price":100,"currency":"CNY","purchase_limit":-1,"stock":[{"point_id":"0","quantity":100}]}]}'),
(385037107203949580, 1795867200000, 'operator', '127.0.0.1', 'activity.stock_changed', 'activity:qmp5nwagjic4obupvtnv', '{"sku_id":"sku","point_id":"0","total":40,"version":1795867200001}', '{"sku_id":"sku","point_id":"0","total":42,"change_id":"change:0TK41pRoY9eeA8ebeUrMw2bB","version":1795867200002}'),
(385037107204154804, 1795867200000, 'operator', '127.0.0.1', 'sku.created', 'sku:gift', '', '{"sku_id":"gift","title":"Gift card","shop_id":"shop","image_url":"","description":"","kind":"voucher","price":1000,"currency":"CNY","stock":50,"version":1795867200000,"freight":{"fee":0,"free_over":0},"stock_version":1}'),
(385038365491201881, 1795867500000, 'operator', '127.0.0.1', 'user.erased', 'user:erased-QV6EGTMDZU6TH6DW24TOWRZQMC', '', '{"pseudonym":"erased-QV6EGTMDZU6TH6DW24TOWRZQMC","orders":1,"payments":0,"addresses":1,"partial":false}'),
(385038365491215427, 1795867500000, 'operator', '127.0.0.1', 'blocked.created', 'blocked:user:mallory', '', '{"kind":"user","subject":"mallory","reason":"resells","updated_at":"2026-11-28T12:05:00.000Z","version":1}'),
(385038365491865462, 1795867500000, 'operator', '127.0.0.1', 'key.created', 'key:385038365493126824', '', '{"key_id":"385038365493126824","name":"reader","scope":"read","created_at":"2026-11-28T12:05:00.000Z","created_by":"operator"}'),
(385038365492085268, 1795867500000, 'operator', '127.0.0.1', 'order.refunded', 'order:394279286278350410', '', '{"refund_number":"394279289535849803","pay_number":"394279289573991480","channel":"sandbox","transaction_id":"txn-394279289573991480","order_number":"394279286278350410","amount":100,"currency":"CNY","reason":"operator","operator_reason":"later","requested_by":"operator:operator","status":"pending","attempts":0,"next_try_at":"2026-11-28T12:05:00.000Z","created_at":"2026-11-28T12:05:00.000Z"}'),
(385038365492888056, 1795867500000, 'operator', '127.0.0.1', 'settings.changed', 'settings', '{"version":1}', '{"limit_user":"900/1m","image_hosts":["https://img.example"],"version":2}'),
(385038365493516669, 1795867500000, 'operator', '127.0.0.1', 'job.paused', 'job:delete_finished', '{"paused":false}', '{"paused":true}'),
(385038365493886833, 1795867500000, 'operator', '127.0.0.1', 'key.created', 'key:385038365494077532', '', '{"key_id":"385038365494077532","name":"till","scope":"till","created_at":"2026-11-28T12:05:00.000Z","created_by":"operator"}'),
(385038365494501429, 1795867500000, 'operator', '127.0.0.1', 'order.noted', 'order:394279286263386959', '', '{"actor":"operator","at":"2026-11-28T12:05:00.000Z","note_id":"385038365494915911","order_number":"394279286263386959","text":""}');
INSERT INTO order_items (order_number, line, sku_id, kind, quantity, refunded_quantity) VALUES
(394277997773890636, 1, 'spa', 'voucher', 2, 0),
(394277997774819139, 1, 'lamp', 'physical', 2, 0),
(394277997774819139, 2, 'gift', 'voucher', 2, 0),
(394277997776783541, 1, 'card', 'virtual', 1, 0),
(394277997782248054, 1, 'chair', 'physical', 2, 1),
(394279286263386959, 1, 'lamp', 'physical', 1, 0);
INSERT INTO order_labels (name, value, number) VALUES
('client_reference', 'till-7', 394277997774819139),
('client_reference', 'till-7', 394277997776783541),
('client_reference', 'till-9', 394279286272258773),
('inviter_id', 'ada', 394279286271032525),
('inviter_id', 'bob', 394277997774819139),
('inviter_id', 'bob', 394277997776783541),
('room_id', 'room-7', 394277997774819139),
('room_id', 'room-7', 394277997776783541),
('room_id', 'room-8', 394277997779487685),
('share_code', 's1', 394277997774819139),
('share_code', 's1', 394277997776783541),
('share_source', 'moments', 394277997774819139),
('share_source', 'moments', 394277997776783541);
INSERT INTO order_log (order_number, seq, at_ms, who, what, from_address, trace_id) VALUES
(394277997773890636, 1, 1795867200000, 'gateway:sandbox', 'paid', '', ''),
(394277997773890636, 2, 1795867200000, 'system', 'vouchers_waiting', '', ''),
(394277997774819139, 1, 1795867200000, 'gateway:sandbox', 'paid', '', ''),
(394277997776783541, 1, 1795867200000, 'gateway:sandbox', 'paid', '', ''),
(394277997779487685, 1, 1795867200000, 'gateway:sandbox', 'paid', '', ''),
(394277997780307655, 1, 1795867200000, 'gateway:sandbox', 'paid', '', ''),
(394277997780887773, 1, 1795867200000, 'buyer', 'cancelled', '127.0.0.1', ''),
(394277997782248054, 1, 1795867200000, 'gateway:sandbox', 'paid', '', ''),
(394277997782248054, 2, 1795867200000, 'operator:operator', 'partly_refunded', '127.0.0.1', ''),
(394277997783948801, 1, 1795867200000, 'gateway:sandbox', 'paid', '', ''),
(394277997783948801, 2, 1795867200000, 'operator:operator', 'refunded', '127.0.0.1', ''),
(394279286263386959, 1, 1795867500000, 'buyer', 'cancelled', '', ''),
(394279286268268034, 1, 1795867500000, 'gateway:sandbox', 'paid', '', ''),
(394279286268700412, 1, 1795867500000, 'mover', 'failed', '', ''),
(394279286268889609, 1, 1795867500000, 'buyer', 'cancelled', '127.0.0.1', ''),
(394279286278350410, 1, 1795867500000, 'gateway:sandbox', 'paid', '', ''),
(394279286278350410, 2, 1795867500000, 'operator:operator', 'refunded', '127.0.0.1', '');
INSERT INTO orders (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id, point_id, sku_id, quantity, total_amount, search_name, pay_before_ms, paid_ms, cancelled_ms, reason, refunded_amount, record) VALUES
(394277997773890636, 'eve', '0~N8pmuEr9-RLx53vJ_-PAAg~00', 'xgjhGl7_by4IjOyZ', 'ordinary', 'voucher', 'paid', 'shop', '', '0', '', 0, 2000, 'gift card', 1795869000000, 1795867200000, 0, '', 0, '{"v":1,"n":"394277997773890636","u":"eve","t":"0~N8pmuEr9-RLx53vJ_-PAAg~00","dg":"xgjhGl7_by4IjOyZ","ip":"127.0.0.1","c":{"type":"ordinary","kind":"voucher","shop_id":"shop","point_id":"0","items":[{"sku_id":"spa","kind":"voucher","title":"Gift card","image_url":"","quantity":2,"price":1000,"point_id":"0"}],"goods_amount":2000,"freight_amount":0,"total_amount":2000,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2026-11-28T12:30:00.000Z"}}'),
(394277997774819139, 'ada', '0~H5IqBNwQjHnDQsRISBEW3A~01', '1RN6ZMdGRZLSO3n2', 'ordinary', 'physical', 'paid', 'shop', '', 'east', '', 0, 12400, REPLACE('desk lamp "noon"⏎gift card', '⏎', CHAR(10)), 1795869000000, 1795867200000, 0, '', 0, '{"v":1,"n":"394277997774819139","u":"ada","t":"0~H5IqBNwQjHnDQsRISBEW3A~01","dg":"1RN6ZMdGRZLSO3n2","ip":"127.0.0.1","c":{"type":"ordinary","kind":"physical","shop_id":"shop","point_id":"east","items":[{"sku_id":"lamp","kind":"physical","title":"Desk lamp \"Noon\"","image_url":"https://img.example/lamp.png","quantity":2,"price":4900,"point_id":"east"},{"sku_id":"gift","kind":"voucher","title":"Gift card","image_url":"","quantity":2,"price":1000,"point_id":"east"}],"goods_amount":11800,"freight_amount":600,"total_amount":12400,"currency":"CNY","address":{"address_id":"z74iqz2bhw22n6q6izt3","receiver":"ada","phone":"13800000000","region":"shanghai","detail":"1 Main Street","is_default":true},"delivery":"express","remark":"Ring \"twice\", it''s loud","fields":{"account":"ada#1"},"room_id":"room-7","share_code":"s1","share_source":"moments","inviter_id":"bob","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2026-11-28T12:30:00.000Z","client_reference":"till-7"}}'),
(394277997776783541, 'ada', '0~H5IqBNwQjHnDQsRISBEW3A~00', '1RN6ZMdGRZLSO3n2', 'ordinary', 'virtual', 'paid', 'games', '', '0', '', 0, 100, '点卡', 1795869000000, 1795867200000, 0, '', 0, '{"v":1,"n":"394277997776783541","u":"ada","t":"0~H5IqBNwQjHnDQsRISBEW3A~00","dg":"1RN6ZMdGRZLSO3n2","ip":"127.0.0.1","c":{"type":"ordinary","kind":"virtual","shop_id":"games","point_id":"0","items":[{"sku_id":"card","kind":"virtual","title":"点卡","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","remark":"Ring \"twice\", it''s loud","fields":{"account":"ada#1"},"room_id":"room-7","share_code":"s1","share_source":"moments","inviter_id":"bob","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2026-11-28T12:30:00.000Z","client_reference":"till-7"}}'),
(394277997778216336, 'ada', '1~qmp5nwagjic4obupvtnv~6SCBixnJWFH0Gp6R-wYGvQ', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'unpaid', 'shop', 'qmp5nwagjic4obupvtnv', '0', 'sku', 1, 100, 'sku', 3688027200000, 0, 0, '', 0, '{"v":1,"n":"394277997778216336","u":"ada","t":"1~qmp5nwagjic4obupvtnv~6SCBixnJWFH0Gp6R-wYGvQ","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qmp5nwagjic4obupvtnv","point_id":"0","items":[{"sku_id":"sku","kind":"virtual","title":"Sku","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997778989221, 'bob', '1~qmp5nwagjic4obupvtnv~CGI1ldYpWLmSBoxirjhX-Q', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'unpaid', 'shop', 'qmp5nwagjic4obupvtnv', '0', 'sku', 1, 100, 'sku', 3688027200000, 0, 0, '', 0, '{"v":1,"n":"394277997778989221","u":"bob","t":"1~qmp5nwagjic4obupvtnv~CGI1ldYpWLmSBoxirjhX-Q","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qmp5nwagjic4obupvtnv","point_id":"0","items":[{"sku_id":"sku","kind":"virtual","title":"Sku","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997779487685, 'ada', '1~qmp5nwagjic4obupvtnv~CCFVN6CXtT5xqf6lJ-fU6A', 'vsfS4WcUhg5MCMDf', 'seckill', 'virtual', 'paid', 'shop', 'qmp5nwagjic4obupvtnv', '0', 'sku', 2, 200, 'sku', 3688027200000, 1795867200000, 0, '', 0, '{"v":1,"n":"394277997779487685","u":"ada","t":"1~qmp5nwagjic4obupvtnv~CCFVN6CXtT5xqf6lJ-fU6A","dg":"vsfS4WcUhg5MCMDf","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qmp5nwagjic4obupvtnv","point_id":"0","items":[{"sku_id":"sku","kind":"virtual","title":"Sku","image_url":"","quantity":2,"price":100,"point_id":"0"}],"goods_amount":200,"freight_amount":0,"total_amount":200,"currency":"CNY","delivery":"none","room_id":"room-8","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997780307655, 'mem', '1~qbv6qxcjn7bhoivi75yt~6cAgq0No8iUQNwv7iq7MLw', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'paid', 'shop', 'qbv6qxcjn7bhoivi75yt', '0', 'gone', 1, 100, 'gone', 1795867260000, 1795867200000, 0, '', 0, '{"v":1,"n":"394277997780307655","u":"mem","t":"1~qbv6qxcjn7bhoivi75yt~6cAgq0No8iUQNwv7iq7MLw","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qbv6qxcjn7bhoivi75yt","point_id":"0","items":[{"sku_id":"gone","kind":"virtual","title":"Gone","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2026-11-28T12:01:00.000Z"}}'),
(394277997780887773, 'bob', '1~qmp5nwagjic4obupvtnv~ai4x9_7qnNd9VAlqilGrzw', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'cancelled', 'shop', 'qmp5nwagjic4obupvtnv', '0', 'sku', 1, 100, 'sku', 3688027200000, 0, 1795867200000, 'buyer', 0, '{"v":1,"n":"394277997780887773","u":"bob","t":"1~qmp5nwagjic4obupvtnv~ai4x9_7qnNd9VAlqilGrzw","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qmp5nwagjic4obupvtnv","point_id":"0","items":[{"sku_id":"sku","kind":"virtual","title":"Sku","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997780893682, 'mem', '1~sq6o6i7hyes5qnrxbrfz~78kjqNAmi-54PT4ipkGxOA', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'unpaid', 'shop', 'sq6o6i7hyes5qnrxbrfz', '0', 'sample', 1, 0, 'sample', 3688027200000, 0, 0, '', 0, '{"v":1,"n":"394277997780893682","u":"mem","t":"1~sq6o6i7hyes5qnrxbrfz~78kjqNAmi-54PT4ipkGxOA","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"sq6o6i7hyes5qnrxbrfz","point_id":"0","items":[{"sku_id":"sample","kind":"virtual","title":"Sample","image_url":"","quantity":1,"price":0,"point_id":"0"}],"goods_amount":0,"freight_amount":0,"total_amount":0,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997782248054, 'bob', '2~fkrj6y2pe6umvpppbdz6~D6zr0Ip5xQz7JKPNHDTcvw', 'C1VVgsnvxMloNFIQ', 'seckill', 'physical', 'paid', 'shop', 'fkrj6y2pe6umvpppbdz6', 'south', 'chair', 2, 3800, 'chair', 3688027200000, 1795867200000, 0, '', 1900, '{"v":1,"n":"394277997782248054","u":"bob","t":"2~fkrj6y2pe6umvpppbdz6~D6zr0Ip5xQz7JKPNHDTcvw","dg":"C1VVgsnvxMloNFIQ","ip":"127.0.0.1","c":{"type":"seckill","kind":"physical","shop_id":"shop","activity_id":"fkrj6y2pe6umvpppbdz6","point_id":"south","items":[{"sku_id":"chair","kind":"physical","title":"Chair","image_url":"","quantity":2,"price":1900,"point_id":"south"}],"goods_amount":3800,"freight_amount":0,"total_amount":3800,"currency":"CNY","address":{"address_id":"yiyqusgn6hzds7thfrzq","receiver":"bob","phone":"13800000000","region":"guangdong","detail":"1 Main Street","is_default":true},"delivery":"express","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997783948801, 'bob', '2~fkrj6y2pe6umvpppbdz6~u6CDfGaJwSj8vJy8zNuF5Q', 'tZ2xuDq5oGwNMFlY', 'seckill', 'physical', 'refunded', 'shop', 'fkrj6y2pe6umvpppbdz6', 'south', 'chair', 1, 1900, 'chair', 3688027200000, 1795867200000, 0, '', 1900, '{"v":1,"n":"394277997783948801","u":"bob","t":"2~fkrj6y2pe6umvpppbdz6~u6CDfGaJwSj8vJy8zNuF5Q","dg":"tZ2xuDq5oGwNMFlY","ip":"127.0.0.1","c":{"type":"seckill","kind":"physical","shop_id":"shop","activity_id":"fkrj6y2pe6umvpppbdz6","point_id":"south","items":[{"sku_id":"chair","kind":"physical","title":"Chair","image_url":"","quantity":1,"price":1900,"point_id":"south"}],"goods_amount":1900,"freight_amount":0,"total_amount":1900,"currency":"CNY","address":{"address_id":"yiyqusgn6hzds7thfrzq","receiver":"bob","phone":"13800000000","region":"guangdong","detail":"1 Main Street","is_default":true},"delivery":"express","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997785131265, 'ada', '2~fkrj6y2pe6umvpppbdz6~2pXEvETUysxAk2Qg2v3RLA', '8aQ5JaQxj43rIwTj', 'seckill', 'physical', 'unpaid', 'shop', 'fkrj6y2pe6umvpppbdz6', 'east', 'chair', 1, 1900, 'chair', 3688027200000, 0, 0, '', 0, '{"v":1,"n":"394277997785131265","u":"ada","t":"2~fkrj6y2pe6umvpppbdz6~2pXEvETUysxAk2Qg2v3RLA","dg":"8aQ5JaQxj43rIwTj","ip":"127.0.0.1","c":{"type":"seckill","kind":"physical","shop_id":"shop","activity_id":"fkrj6y2pe6umvpppbdz6","point_id":"east","items":[{"sku_id":"chair","kind":"physical","title":"Chair","image_url":"","quantity":1,"price":1900,"point_id":"east"}],"goods_amount":1900,"freight_amount":0,"total_amount":1900,"currency":"CNY","delivery":"pickup","pickup_point_id":"east","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997785585072, 'mem', '3~enzuk2miakl72lzj4iag~UwNjsUX5ZF05eMMdJ6Egaw', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'unpaid', 'shop', 'enzuk2miakl72lzj4iag', '0', 'badge', 1, 100, 'badge', 3688027200000, 0, 0, '', 0, '{"v":1,"n":"394277997785585072","u":"mem","t":"3~enzuk2miakl72lzj4iag~UwNjsUX5ZF05eMMdJ6Egaw","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"enzuk2miakl72lzj4iag","point_id":"0","items":[{"sku_id":"badge","kind":"virtual","title":"Badge","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2086-11-13T12:00:00.000Z"}}'),
(394277997789729742, 'mem', '4~byownkh5hnurrneke53i~R-moJhAz91nnyQXwBsL3Sg', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'unpaid', 'shop', 'byownkh5hnurrneke53i', '0', 'quick', 1, 100, 'quick', 1795867260000, 0, 0, '', 0, '{"v":1,"n":"394277997789729742","u":"mem","t":"4~byownkh5hnurrneke53i~R-moJhAz91nnyQXwBsL3Sg","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"byownkh5hnurrneke53i","point_id":"0","items":[{"sku_id":"quick","kind":"virtual","title":"Quick","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:00:00.000Z","pay_before":"2026-11-28T12:01:00.000Z"}}'),
(394279286263386959, 'erased-QV6EGTMDZU6TH6DW24TOWRZQMC', '0~9DYD5JL3K6UbmkZPS9mLpw~00', 'RcR3bgl7Q8ZDeqv3', 'ordinary', 'physical', 'cancelled', 'shop', '', 'east', '', 0, 5500, 'desk lamp "noon"', 1795869300000, 0, 1795867500000, 'buyer', 0, '{"v":1,"n":"394279286263386959","u":"erased-QV6EGTMDZU6TH6DW24TOWRZQMC","t":"0~9DYD5JL3K6UbmkZPS9mLpw~00","dg":"RcR3bgl7Q8ZDeqv3","c":{"type":"ordinary","kind":"physical","shop_id":"shop","point_id":"east","items":[{"sku_id":"lamp","kind":"physical","title":"Desk lamp \"Noon\"","image_url":"https://img.example/lamp.png","quantity":1,"price":4900,"point_id":"east"}],"goods_amount":4900,"freight_amount":600,"total_amount":5500,"currency":"CNY","delivery":"express","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2026-11-28T12:35:00.000Z"}}'),
(394279286268268034, 'gil', '1~qmp5nwagjic4obupvtnv~pFaOH7SWFoQxHfvbH_KaMg', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'paid', 'shop', 'qmp5nwagjic4obupvtnv', '0', 'sku', 1, 100, 'sku', 3688027500000, 1795867500000, 0, '', 0, '{"v":1,"n":"394279286268268034","u":"gil","t":"1~qmp5nwagjic4obupvtnv~pFaOH7SWFoQxHfvbH_KaMg","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qmp5nwagjic4obupvtnv","point_id":"0","items":[{"sku_id":"sku","kind":"virtual","title":"Sku","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z"}}'),
(394279286268700412, 'cat', '1~sq6o6i7hyes5qnrxbrfz~KP2Ng17JqWa3yK36mJoEZg', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'failed', 'shop', 'sq6o6i7hyes5qnrxbrfz', '0', 'sample', 1, 0, 'sample', 3688027500000, 0, 0, 'no_stock', 0, '{"v":1,"n":"394279286268700412","u":"cat","t":"1~sq6o6i7hyes5qnrxbrfz~KP2Ng17JqWa3yK36mJoEZg","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"sq6o6i7hyes5qnrxbrfz","point_id":"0","items":[{"sku_id":"sample","kind":"virtual","title":"Sample","image_url":"","quantity":1,"price":0,"point_id":"0"}],"goods_amount":0,"freight_amount":0,"total_amount":0,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z"}}'),
(394279286268703235, 'ada', '1~sq6o6i7hyes5qnrxbrfz~rkLcPhJVk_AVLxbEt63mpg', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'unpaid', 'shop', 'sq6o6i7hyes5qnrxbrfz', '0', 'sample', 1, 0, 'sample', 3688027500000, 0, 0, '', 0, '{"v":1,"n":"394279286268703235","u":"ada","t":"1~sq6o6i7hyes5qnrxbrfz~rkLcPhJVk_AVLxbEt63mpg","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"sq6o6i7hyes5qnrxbrfz","point_id":"0","items":[{"sku_id":"sample","kind":"virtual","title":"Sample","image_url":"","quantity":1,"price":0,"point_id":"0"}],"goods_amount":0,"freight_amount":0,"total_amount":0,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z"}}'),
(394279286268889609, 'fay', '1~qmp5nwagjic4obupvtnv~PilPTBk4LdzdSZh_9sqmLw', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'cancelled', 'shop', 'qmp5nwagjic4obupvtnv', '0', 'sku', 1, 100, 'sku', 3688027500000, 0, 1795867500000, 'buyer', 0, '{"v":1,"n":"394279286268889609","u":"fay","t":"1~qmp5nwagjic4obupvtnv~PilPTBk4LdzdSZh_9sqmLw","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qmp5nwagjic4obupvtnv","point_id":"0","items":[{"sku_id":"sku","kind":"virtual","title":"Sku","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z"}}'),
(394279286271032525, 'dan', '1~qmp5nwagjic4obupvtnv~B46W8WQvquIdOEQCDl4SKA', 'y0w9Zly-HwZb0ghc', 'seckill', 'virtual', 'unpaid', 'shop', 'qmp5nwagjic4obupvtnv', '0', 'sku', 2, 200, 'sku', 3688027500000, 0, 0, '', 0, '{"v":1,"n":"394279286271032525","u":"dan","t":"1~qmp5nwagjic4obupvtnv~B46W8WQvquIdOEQCDl4SKA","dg":"y0w9Zly-HwZb0ghc","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"qmp5nwagjic4obupvtnv","point_id":"0","items":[{"sku_id":"sku","kind":"virtual","title":"Sku","image_url":"","quantity":2,"price":100,"point_id":"0"}],"goods_amount":200,"freight_amount":0,"total_amount":200,"currency":"CNY","delivery":"none","remark":"it''s \"for\" 我","fields":{"size":"L"},"inviter_id":"ada","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z"}}'),
(394279286272258773, 'fay', '2~fkrj6y2pe6umvpppbdz6~st7MmEVw22J2QmeoDqHfyA', 'q8Oy63WE28AIob6w', 'seckill', 'physical', 'unpaid', 'shop', 'fkrj6y2pe6umvpppbdz6', 'east', 'chair', 1, 1900, 'chair', 3688027500000, 0, 0, '', 0, '{"v":1,"n":"394279286272258773","u":"fay","t":"2~fkrj6y2pe6umvpppbdz6~st7MmEVw22J2QmeoDqHfyA","dg":"q8Oy63WE28AIob6w","ip":"127.0.0.1","c":{"type":"seckill","kind":"physical","shop_id":"shop","activity_id":"fkrj6y2pe6umvpppbdz6","point_id":"east","items":[{"sku_id":"chair","kind":"physical","title":"Chair","image_url":"","quantity":1,"price":1900,"point_id":"east"}],"goods_amount":1900,"freight_amount":0,"total_amount":1900,"currency":"CNY","address":{"address_id":"yjsb7uaclz6almhx5zyc","receiver":"fay","phone":"13800000000","region":"shanghai","detail":"1 Main Street","is_default":true},"delivery":"express","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z","client_reference":"till-9"}}'),
(394279286278124870, 'vip', '3~enzuk2miakl72lzj4iag~BtQb-XtJS5Qo93YqCjg56g', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'unpaid', 'shop', 'enzuk2miakl72lzj4iag', '0', 'badge', 1, 100, 'badge', 3688027500000, 0, 0, '', 0, '{"v":1,"n":"394279286278124870","u":"vip","t":"3~enzuk2miakl72lzj4iag~BtQb-XtJS5Qo93YqCjg56g","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"enzuk2miakl72lzj4iag","point_id":"0","items":[{"sku_id":"badge","kind":"virtual","title":"Badge","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z"}}'),
(394279286278350410, 'mem', '3~enzuk2miakl72lzj4iag~qspj5DwvrZxWJry7d2wH5w', 'us1QxF5ECQwcnoor', 'seckill', 'virtual', 'refunded', 'shop', 'enzuk2miakl72lzj4iag', '0', 'badge', 1, 100, 'badge', 3688027500000, 1795867500000, 0, '', 100, '{"v":1,"n":"394279286278350410","u":"mem","t":"3~enzuk2miakl72lzj4iag~qspj5DwvrZxWJry7d2wH5w","dg":"us1QxF5ECQwcnoor","ip":"127.0.0.1","c":{"type":"seckill","kind":"virtual","shop_id":"shop","activity_id":"enzuk2miakl72lzj4iag","point_id":"0","items":[{"sku_id":"badge","kind":"virtual","title":"Badge","image_url":"","quantity":1,"price":100,"point_id":"0"}],"goods_amount":100,"freight_amount":0,"total_amount":100,"currency":"CNY","delivery":"none","placed_at":"2026-11-28T12:05:00.000Z","pay_before":"2086-11-13T12:05:00.000Z"}}');
INSERT INTO orders_archive (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id, point_id, sku_id, quantity, total_amount, search_name, pay_before_ms, paid_ms, cancelled_ms, reason, refunded_amount, record) VALUES
(357154018453094407, 'ada', '1~old~7', 'digest-of-16-byte', 'ordinary', 'virtual', 'cancelled', '', '', '0', '', 0, 0, '', 0, 0, 0, '', 0, '{"v":1,"n":"357154018453094407","u":"ada","t":"1~old~7","dg":"digest-of-16-byte","c":{"type":"ordinary","kind":"virtual","shop_id":"","point_id":"0","items":[{"sku_id":"lamp","kind":"","title":"","image_url":"","quantity":1,"price":0}],"goods_amount":0,"freight_amount":0,"total_amount":0,"currency":"CNY","delivery":"none","placed_at":null}}');
INSERT INTO payment_notifications (channel, event_id, pay_number, transaction_id, amount, currency, outcome, at_ms, flag, who, note) VALUES
('sandbox', 'event-394277997949204709', 394277997949204709, 'txn-394277997949204709', 2000, 'CNY', 'paid', 1795867200000, '', '', ''),
('sandbox', 'event-394277998488430794', 394277998488430794, 'txn-394277998488430794', 1900, 'CNY', 'paid', 1795867200000, '', '', ''),
('sandbox', 'event-394277998787748077', 394277998787748077, 'txn-394277998787748077', 12500, 'CNY', 'paid', 1795867200000, '', '', ''),
('sandbox', 'event-394277999104119921', 394277999104119921, 'txn-394277999104119921', 200, 'CNY', 'paid', 1795867200000, '', '', ''),
('sandbox', 'event-394277999971272135', 394277999971272135, 'txn-394277999971272135', 100, 'CNY', 'paid', 1795867200000, '', '', ''),
('sandbox', 'event-394278000956453699', 394278000956453699, 'txn-394278000956453699', 3800, 'CNY', 'paid', 1795867200000, '', '', ''),
('sandbox', 'event-394279289573991480', 394279289573991480, 'txn-394279289573991480', 100, 'CNY', 'paid', 1795867500000, '', '', ''),
('sandbox', 'event-394279289861650891', 394279289861650891, 'txn-394279289861650891', 100, 'CNY', 'paid', 1795867500000, '', '', '');
INSERT INTO payment_orders (pay_number, order_number, amount) VALUES
(394277997884513072, 394277997778989221, 100),
(394277997949204709, 394277997773890636, 2000),
(394277998488430794, 394277997783948801, 1900),
(394277998787748077, 394277997774819139, 12400),
(394277998787748077, 394277997776783541, 100),
(394277999104119921, 394277997779487685, 200),
(394277999971272135, 394277997780307655, 100),
(394278000956453699, 394277997782248054, 3800),
(394279289573991480, 394279286278350410, 100),
(394279289861650891, 394279286268268034, 100);
INSERT INTO payment_transactions (channel, transaction_id, pay_number, amount, currency, at_ms) VALUES
('sandbox', 'txn-394277997949204709', 394277997949204709, 2000, 'CNY', 1795867200000),
('sandbox', 'txn-394277998488430794', 394277998488430794, 1900, 'CNY', 1795867200000),
('sandbox', 'txn-394277998787748077', 394277998787748077, 12500, 'CNY', 1795867200000),
('sandbox', 'txn-394277999104119921', 394277999104119921, 200, 'CNY', 1795867200000),
('sandbox', 'txn-394277999971272135', 394277999971272135, 100, 'CNY', 1795867200000),
('sandbox', 'txn-394278000956453699', 394278000956453699, 3800, 'CNY', 1795867200000),
('sandbox', 'txn-394279289573991480', 394279289573991480, 100, 'CNY', 1795867500000),
('sandbox', 'txn-394279289861650891', 394279289861650891, 100, 'CNY', 1795867500000);
INSERT INTO payments (pay_number, user_id, task_id, digest, channel, status, amount, refunded_amount, currency, transaction_id, next_step, flag, deliveries, created_ms, ask_ms, paid_ms, expires_ms, asked_ms, unanswered, earned) VALUES
(394277997884513072, 'bob', 'pay.nFWkuCQn6cre8Z9cOjLrpw', '0a3i04DeBrvc3VQA', 'sandbox', 'pending', 100, 0, 'CNY', '', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394277997884513072?t=OuuuyBFqlkUX7ACkOTqPKw"}', '', 0, 1795867200000, 1795868070000, 0, 1795868100000, 0, 0, 0),
(394277997949204709, 'eve', 'pay.P3AiTjajP21rG12MnV1dGQ', 'A0afR2fNn4JM7eFN', 'sandbox', 'paid', 2000, 0, 'CNY', 'txn-394277997949204709', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394277997949204709?t=JZWK6FFgtU63Kbia_C-YIA"}', '', 0, 1795867200000, 1795868070000, 1795867200000, 1795868100000, 0, 0, 2000),
(394277998488430794, 'bob', 'pay.r_N4umQtel7na8tDhdmphg', 'k6KY93_7gY2rvDvM', 'sandbox', 'refunded', 1900, 1900, 'CNY', 'txn-394277998488430794', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394277998488430794?t=9RKNSF3xE0bK389XHwWvYw"}', '', 0, 1795867200000, 1795868070000, 1795867200000, 1795868100000, 0, 0, 1900),
(394277998787748077, 'ada', 'pay.w0MOhQ-RLSdBWfkq4t0i2Q', 'w_5bvPoOBdgh2ovB', 'sandbox', 'paid', 12500, 0, 'CNY', 'txn-394277998787748077', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394277998787748077?t=cicrP6Z4OFUup_OThtFxGA"}', '', 0, 1795867200000, 1795868070000, 1795867200000, 1795868100000, 0, 0, 12500),
(394277999104119921, 'ada', 'pay.r1ssEYK8k3q3wZxs2UOEZQ', 'DssK-9nHXgolHMZH', 'sandbox', 'paid', 200, 0, 'CNY', 'txn-394277999104119921', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394277999104119921?t=KKe375j1PSJ-fSYbofjy9A"}', '', 0, 1795867200000, 1795868070000, 1795867200000, 1795868100000, 0, 0, 200),
(394277999971272135, 'mem', 'pay.23Rz4eGuTJrHoLrVtq5QbQ', 'GVEYaiKudNmmJ-BS', 'sandbox', 'paid', 100, 0, 'CNY', 'txn-394277999971272135', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394277999971272135?t=qEdI_paBLzsv3f5y-hrmTw"}', '', 0, 1795867200000, 1795867230000, 1795867200000, 1795867260000, 0, 0, 100),
(394278000956453699, 'bob', 'pay.c2o7HKz7gMTOuvD53wUObQ', '8qJ_cK9OYp7d7RbP', 'sandbox', 'paid', 3800, 1900, 'CNY', 'txn-394278000956453699', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394278000956453699?t=__kFydT4NM_2CVTolGGRUQ"}', '', 0, 1795867200000, 1795868070000, 1795867200000, 1795868100000, 0, 0, 3800),
(394279289573991480, 'mem', 'pay.x_xrZ89wxbgA3z_orFL8Ow', 'Ry_fp2EXMx2w7xxT', 'sandbox', 'refunding', 100, 0, 'CNY', 'txn-394279289573991480', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394279289573991480?t=dDX6MN1RfjdzceFwg-klrA"}', '', 0, 1795867500000, 1795868370000, 1795867500000, 1795868400000, 0, 0, 100),
(394279289861650891, 'gil', 'pay.8NlLrQv3k5ZNosfYfEH2zQ', '8xcinp7SD7GQE5Lz', 'sandbox', 'paid', 100, 0, 'CNY', 'txn-394279289861650891', '{"redirect_url":"http://127.0.0.1:1/sandbox/pay/394279289861650891?t=IjgkqbqZ-St0XAa-7EyNMQ"}', '', 0, 1795867500000, 1795868370000, 1795867500000, 1795868400000, 0, 0, 100);
INSERT INTO refund_items (refund_number, line, sku_id, quantity) VALUES
(394277999928201705, 1, 'chair', 1);
INSERT INTO refund_keys (task_id, digest, refund_number, created_ms) VALUES
('refund.W8sxVcbIOWFQ3OLvZq7wmQ', '_8bsa7Ly_09uRGn7', 394279289535849803, 1795867500000),
('refund.mdNBoCIppwlHPyGCEJNNLA', 'EamnC2YV9qEZl0Lv', 394277998364366845, 1795867200000),
('refund.whO-_NlD18MZwKvHmnRJIA', 'wAQ7-Zw2H7-EQIA5', 394277999928201705, 1795867200000);
INSERT INTO refunds (refund_number, pay_number, channel, transaction_id, order_number, amount, currency, reason, status, attempts, next_try_ms, last_error, created_ms, done_ms, under_way_ms, renewed, waits_for, part, who, note, outside_id, sent_ms) VALUES
(394277998364366845, 394277998488430794, 'sandbox', 'txn-394277998488430794', 394277997783948801, 1900, 'CNY', 'operator', 'done', 0, 1795867200000, '', 1795867200000, 1795867200000, 0, 0, '', 0, 'operator:operator', 'broken', '', 0),
(394277999928201705, 394278000956453699, 'sandbox', 'txn-394278000956453699', 394277997782248054, 1900, 'CNY', 'operator', 'done', 0, 1795867200000, '', 1795867200000, 1795867200000, 0, 0, '', 0, 'operator:operator', 'a scratch', '', 0),
(394279289535849803, 394279289573991480, 'sandbox', 'txn-394279289573991480', 394279286278350410, 100, 'CNY', 'operator', 'pending', 0, 1795867500000, '', 1795867500000, 0, 0, 0, '', 0, 'operator:operator', 'later', '', 0);
INSERT INTO sale_skus (activity_id, sku_id, shop_id, title, image_url, description, kind, price, currency, freight_fee, freight_free_over, required_fields) VALUES
('byownkh5hnurrneke53i', 'quick', 'shop', 'Quick', '', '', 'virtual', 200, 'CNY', 0, 0, ''),
('enzuk2miakl72lzj4iag', 'badge', 'shop', 'Badge', '', '', 'virtual', 200, 'CNY', 0, 0, ''),
('fkrj6y2pe6umvpppbdz6', 'chair', 'shop', 'Chair', '', '', 'physical', 3800, 'CNY', 0, 0, ''),
('n7adyq4ear6kzwddlf6x', 'held', 'shop', 'Held', '', '', 'virtual', 200, 'CNY', 0, 0, ''),
('qbv6qxcjn7bhoivi75yt', 'gone', 'shop', 'Gone', '', '', 'virtual', 200, 'CNY', 0, 0, ''),
('qbztpifbpdi6s4xunmez', 'ticket', 'shop', 'Ticket', '', '', 'virtual', 200, 'CNY', 0, 0, ''),
('qmp5nwagjic4obupvtnv', 'sku', 'shop', 'Sku', '', '', 'virtual', 200, 'CNY', 0, 0, ''),
('sq6o6i7hyes5qnrxbrfz', 'sample', 'shop', 'Sample', '', '', 'virtual', 200, 'CNY', 0, 0, ''),
('yvn4aywylhsdrqy4jhk3', 'later', 'shop', 'Later', '', '', 'virtual', 200, 'CNY', 0, 0, '');
INSERT INTO sandbox_payments (pay_number, amount, currency, closed_ms, return_url) VALUES
(394277997884513072, 100, 'CNY', 0, ''),
(394277997949204709, 2000, 'CNY', 0, ''),
(394277998488430794, 1900, 'CNY', 0, ''),
(394277998787748077, 12500, 'CNY', 0, ''),
(394277999104119921, 200, 'CNY', 0, ''),
(394277999971272135, 100, 'CNY', 0, ''),
(394278000956453699, 3800, 'CNY', 0, ''),
(394279289573991480, 100, 'CNY', 0, ''),
(394279289861650891, 100, 'CNY', 0, '');
INSERT INTO sandbox_refunds (refund_number, transaction_id, amount, at_ms) VALUES
(394277998364366845, 'txn-394277998488430794', 1900, 1795867200000),
(394277999928201705, 'txn-394278000956453699', 1900, 1795867200000);
INSERT INTO sandbox_transactions (transaction_id, pay_number, amount, currency, at_ms) VALUES
('txn-394277997949204709', 394277997949204709, 2000, 'CNY', 1795920448943),
('txn-394277998488430794', 394277998488430794, 1900, 'CNY', 1795920449083),
('txn-394277998787748077', 394277998787748077, 12500, 'CNY', 1795920448929),
('txn-394277999104119921', 394277999104119921, 200, 'CNY', 1795920449065),
('txn-394277999971272135', 394277999971272135, 100, 'CNY', 1795920449069),
('txn-394278000956453699', 394278000956453699, 3800, 'CNY', 1795920449086),
('txn-394279289573991480', 394279289573991480, 100, 'CNY', 1795920449127),
('txn-394279289861650891', 394279289861650891, 100, 'CNY', 1795920449178);
INSERT INTO schema_changes (version, fingerprint, applied) VALUES
(1, 'd77d2f2b93a91e531a7af570e473997fd2bbe023e1a3940b6867408e79f73c5e', 1),
(2, '18fcabed00fd1b2c7685f203566a054b775cf955163c3cbd5ede77d7b94043e1', 1),
(3, '86a1a4a601500d78ba680c89e94ec3fc163fac7eaee3b97be8dcfba42c5de88c', 1);
INSERT INTO settings (id, body, version, updated_ms) VALUES
(1, '{"limit_user":"900/1m","image_hosts":["https://img.example"],"changed":{"image_hosts":1795867500000,"limit_user":1795867500000}}', 2, 1795867500000);
INSERT INTO site (id, site_id, lanes, lanes_before, raised_ms, number_key) VALUES
(1, 'a2389378d4728fd761ca029d', 4, 4, 0, 'a3f59ce08ff83cda4e863cbad402ee09115505a238d0fc2bf7e2872ad8062f6f');
INSERT INTO skus (sku_id, shop_id, title, image_url, description, kind, price, currency, stock, stock_version, freight_fee, freight_free_over, updated_ms, required_fields) VALUES
('badge', 'shop', 'Badge', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('card', 'games', '点卡', '', '', 'virtual', 100, 'CNY', 49, 2, 0, 0, 1795867200000, '["account"]'),
('chair', 'shop', 'Chair', '', '', 'physical', 3800, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('gift', 'shop', 'Gift card', '', '', 'voucher', 1000, 'CNY', 48, 2, 0, 0, 1795867200000, ''),
('gone', 'shop', 'Gone', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('held', 'shop', 'Held', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('idea', 'shop', 'Idea', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('lamp', 'shop', 'Desk lamp "Noon"', 'https://img.example/lamp.png', 'Warm light, three levels.', 'physical', 4900, 'CNY', 48, 4, 600, 100000, 1795867200000, ''),
('later', 'shop', 'Later', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('quick', 'shop', 'Quick', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('sample', 'shop', 'Sample', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('sku', 'shop', 'Sku', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, ''),
('spa', 'shop', 'Gift card', '', '', 'voucher', 1000, 'CNY', 48, 2, 0, 0, 1795867200000, ''),
('ticket', 'shop', 'Ticket', '', '', 'virtual', 200, 'CNY', 1000, 1, 0, 0, 1795867200000, '');
INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id, quantity, order_number, user_id, created_ms) VALUES
('change:0TK41pRoY9eeA8ebeUrMw2bB', 'change', 'done', 'qmp5nwagjic4obupvtnv', 'sku', '0', 2, 0, '', 1795867200000),
('confirm:394279286268268034', 'confirm', 'pending', 'qmp5nwagjic4obupvtnv', 'sku', '0', 1, 394279286268268034, 'gil', 1795867500000),
('confirm:394279286278350410', 'confirm', 'pending', 'enzuk2miakl72lzj4iag', 'badge', '0', 1, 394279286278350410, 'mem', 1795867500000);
INSERT INTO stock_points (point_id, name, regions, freight_extra, pickup, address, hours, updated_ms) VALUES
('east', 'east', '["shanghai","jiangsu"]', 0, 1, '', '', 1795867200000),
('south', 'south', '["guangdong"]', 0, 1, '', '', 1795867200000);
INSERT INTO stock_points_head (id, version) VALUES
(1, 3);
INSERT INTO user_locks (user_id, changed_ms) VALUES
('', 1795920449162),
('ada', 1795920448920),
('bob', 1795920448989),
('fay', 1795920449185);
INSERT INTO user_versions (part, version) VALUES
(124357, 2),
(174766, 3),
(285703, 1),
(434388, 5),
(527299, 1),
(593339, 4),
(706819, 1),
(875518, 3);
INSERT INTO voucher_pools (sku_id, imported, given, withdrawn) VALUES
('spa', 1, 1, 0);
INSERT INTO voucher_waits (order_number, line, unit, sku_id, since_ms, held) VALUES
(394277997773890636, 1, 2, 'spa', 1795867200000, 0);
INSERT INTO vouchers (order_number, line, unit, code, status, redeemed_ms, redeemed_by, redeemed_where) VALUES
(394277997773890636, 1, 1, 'SPA-1', 'active', 0, '', ''),
(394277997774819139, 2, 1, 'OTIKUH6KTYOGDZAEXF357AUEFF', 'active', 0, '', ''),
(394277997774819139, 2, 2, 'ZHJ5XJYOWSH6V6TBOISBZEZ47V', 'active', 0, '', '');

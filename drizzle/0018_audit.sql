CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` real NOT NULL,
	`kind` text NOT NULL,
	`outcome` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`address` text,
	`details` text NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_anchor` (
	`id` integer PRIMARY KEY NOT NULL,
	`removed_up_to` integer NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER `audit_appended` BEFORE INSERT ON `audit`
WHEN NEW.`id` <> coalesce((SELECT max(`id`) FROM `audit`), (SELECT `removed_up_to` FROM `audit_anchor`), 0) + 1
	OR NEW.`previous_hash` <> coalesce((SELECT `hash` FROM `audit` ORDER BY `id` DESC LIMIT 1), (SELECT `hash` FROM `audit_anchor`), '')
BEGIN SELECT RAISE(ABORT, 'an entry of the audit log has to follow the last one'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_unchanged` BEFORE UPDATE ON `audit`
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_kept` BEFORE DELETE ON `audit`
WHEN OLD.`id` > coalesce((SELECT `removed_up_to` FROM `audit_anchor`), 0)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_anchor_set` BEFORE INSERT ON `audit_anchor`
WHEN NEW.`id` <> 1 OR EXISTS (SELECT 1 FROM `audit_anchor`) OR NEW.`hash` IS NOT (SELECT `hash` FROM `audit` WHERE `id` = NEW.`removed_up_to`)
	OR (SELECT `at` FROM `audit` WHERE `id` = NEW.`removed_up_to`) > (SELECT `at` FROM `audit` ORDER BY `id` DESC LIMIT 1) - 2592000
BEGIN SELECT RAISE(ABORT, 'entries of the last 30 days stay in the audit log'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_anchor_moved` BEFORE UPDATE ON `audit_anchor`
WHEN NEW.`id` <> 1 OR NEW.`removed_up_to` <= OLD.`removed_up_to` OR NEW.`hash` IS NOT (SELECT `hash` FROM `audit` WHERE `id` = NEW.`removed_up_to`)
	OR (SELECT `at` FROM `audit` WHERE `id` = NEW.`removed_up_to`) > (SELECT `at` FROM `audit` ORDER BY `id` DESC LIMIT 1) - 2592000
BEGIN SELECT RAISE(ABORT, 'entries of the last 30 days stay in the audit log'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_anchor_kept` BEFORE DELETE ON `audit_anchor`
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

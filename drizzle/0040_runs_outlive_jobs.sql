-- The foreign key of `job_id` goes. `cron_deliveries` is rebuilt as well: dropping the table that it refers to would empty it.
CREATE TABLE `__new_cron_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`slot_at` real,
	`state` text NOT NULL,
	`status` text,
	`error` text,
	`session_id` text,
	`stream_id` text,
	`output` text,
	`request` text,
	`created_at` real NOT NULL,
	`started_at` real,
	`ended_at` real
);
--> statement-breakpoint
CREATE TABLE `__new_cron_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`target` text NOT NULL,
	`body` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` real,
	`error` text,
	`created_at` real NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `__new_cron_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- portions: cron_runs
INSERT OR IGNORE INTO `__new_cron_runs`("id", "job_id", "slot_at", "state", "status", "error", "session_id", "stream_id", "output", "request", "created_at", "started_at", "ended_at") SELECT "id", "job_id", "slot_at", "state", "status", "error", "session_id", "stream_id", "output", "request", "created_at", "started_at", "ended_at" FROM `cron_runs` WHERE rowid > :after AND rowid <= :upto;--> statement-breakpoint
-- portions: cron_deliveries
INSERT OR IGNORE INTO `__new_cron_deliveries`("id", "run_id", "target", "body", "state", "attempts", "next_attempt_at", "error", "created_at") SELECT "id", "run_id", "target", "body", "state", "attempts", "next_attempt_at", "error", "created_at" FROM `cron_deliveries` WHERE rowid > :after AND rowid <= :upto;--> statement-breakpoint
DROP TABLE `cron_deliveries`;--> statement-breakpoint
DROP TABLE `cron_runs`;--> statement-breakpoint
ALTER TABLE `__new_cron_runs` RENAME TO `cron_runs`;--> statement-breakpoint
ALTER TABLE `__new_cron_deliveries` RENAME TO `cron_deliveries`;--> statement-breakpoint
CREATE UNIQUE INDEX `cron_runs_by_slot` ON `cron_runs` (`job_id`,`slot_at`);--> statement-breakpoint
CREATE INDEX `cron_runs_open` ON `cron_runs` (`state`) WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `cron_runs_by_end` ON `cron_runs` (`ended_at`);--> statement-breakpoint
CREATE INDEX `cron_runs_by_job` ON `cron_runs` (`job_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `cron_deliveries_due` ON `cron_deliveries` (`next_attempt_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `cron_deliveries_by_run` ON `cron_deliveries` (`run_id`);

CREATE TABLE `cron_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`target` text NOT NULL,
	`body` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` real,
	`error` text,
	`created_at` real NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `cron_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `cron_deliveries_due` ON `cron_deliveries` (`next_attempt_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `cron_deliveries_by_run` ON `cron_deliveries` (`run_id`);--> statement-breakpoint
CREATE TABLE `cron_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`profile` text NOT NULL,
	`name` text NOT NULL,
	`prompt` text NOT NULL,
	`skills` text NOT NULL,
	`model` text,
	`provider` text,
	`workspace` text,
	`deliver` text NOT NULL,
	`toast` integer NOT NULL,
	`ask` text NOT NULL,
	`kind` text NOT NULL,
	`expression` text NOT NULL,
	`display` text NOT NULL,
	`words` text,
	`minutes` integer,
	`run_at` real,
	`anchor_at` real NOT NULL,
	`zone` text NOT NULL,
	`repeat_times` integer,
	`repeat_completed` integer DEFAULT 0 NOT NULL,
	`state` text NOT NULL,
	`paused_at` real,
	`paused_reason` text,
	`next_run_at` real,
	`last_run_at` real,
	`last_status` text,
	`last_error` text,
	`last_delivery_error` text,
	`last_skipped_at` real,
	`failure_streak` integer DEFAULT 0 NOT NULL,
	`created_at` real NOT NULL,
	`updated_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `cron_jobs_due` ON `cron_jobs` (`next_run_at`) WHERE next_run_at is not null;--> statement-breakpoint
CREATE INDEX `cron_jobs_by_profile` ON `cron_jobs` (`profile`,`created_at`);--> statement-breakpoint
CREATE TABLE `cron_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`slot_at` real,
	`state` text NOT NULL,
	`status` text,
	`error` text,
	`session_id` text,
	`stream_id` text,
	`output` text,
	`created_at` real NOT NULL,
	`started_at` real,
	`ended_at` real,
	FOREIGN KEY (`job_id`) REFERENCES `cron_jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `cron_runs_by_slot` ON `cron_runs` (`job_id`,`slot_at`);--> statement-breakpoint
CREATE INDEX `cron_runs_open` ON `cron_runs` (`state`) WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `cron_runs_by_end` ON `cron_runs` (`ended_at`);--> statement-breakpoint
CREATE INDEX `cron_runs_by_job` ON `cron_runs` (`job_id`,`created_at`);
CREATE TABLE `hook_calls` (
	`hook_id` text NOT NULL,
	`key` text NOT NULL,
	`run_id` text NOT NULL,
	`at` real NOT NULL,
	PRIMARY KEY(`hook_id`, `key`),
	FOREIGN KEY (`hook_id`) REFERENCES `hooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `hook_calls_by_time` ON `hook_calls` (`at`);--> statement-breakpoint
CREATE TABLE `hooks` (
	`id` text PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`secret` text NOT NULL,
	`events` text NOT NULL,
	`matches` text NOT NULL,
	`calls` integer DEFAULT 0 NOT NULL,
	`last_call_at` real,
	`last_outcome` text,
	`created_at` real NOT NULL,
	FOREIGN KEY (`job_id`) REFERENCES `cron_jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hooks_jobId_unique` ON `hooks` (`job_id`);--> statement-breakpoint
ALTER TABLE `cron_runs` ADD `request` text;
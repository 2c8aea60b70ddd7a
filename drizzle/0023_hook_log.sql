CREATE TABLE `hook_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`hook_id` text NOT NULL,
	`at` real NOT NULL,
	`outcome` text NOT NULL,
	`event` text,
	`run_id` text,
	`count` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`hook_id`) REFERENCES `hooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `hook_log_by_hook` ON `hook_log` (`hook_id`,`id`);--> statement-breakpoint
ALTER TABLE `cron_jobs` ADD `daily_usd` real;--> statement-breakpoint
ALTER TABLE `hooks` ADD `last_payload` text;
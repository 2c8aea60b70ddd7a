CREATE TABLE `job_use` (
	`profile` text NOT NULL,
	`date` text NOT NULL,
	`job_id` text NOT NULL,
	`name` text NOT NULL,
	`runs` integer NOT NULL,
	`failures` integer NOT NULL,
	PRIMARY KEY(`profile`, `date`, `job_id`)
);
--> statement-breakpoint
CREATE TABLE `tool_use` (
	`profile` text NOT NULL,
	`date` text NOT NULL,
	`tool` text NOT NULL,
	`calls` integer NOT NULL,
	`failures` integer NOT NULL,
	`duration_s` real NOT NULL,
	PRIMARY KEY(`profile`, `date`, `tool`)
);
--> statement-breakpoint
ALTER TABLE `usage` ADD `kind` text;--> statement-breakpoint
ALTER TABLE `usage` ADD `turn_id` text;--> statement-breakpoint
ALTER TABLE `usage` ADD `job_id` text;--> statement-breakpoint
CREATE INDEX `prompts_by_time` ON `prompts` (`created_at`);
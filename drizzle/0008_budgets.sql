CREATE TABLE `budget_use` (
	`scope` text NOT NULL,
	`id` text NOT NULL,
	`tokens` integer DEFAULT 0 NOT NULL,
	`usd` real DEFAULT 0 NOT NULL,
	`unpriced` text,
	`told` text DEFAULT '[]' NOT NULL,
	`usd_up_to` real,
	`tokens_up_to` real,
	`updated_at` real NOT NULL,
	PRIMARY KEY(`scope`, `id`)
);
--> statement-breakpoint
CREATE INDEX `budget_use_by_time` ON `budget_use` (`updated_at`);
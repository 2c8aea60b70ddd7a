CREATE TABLE `push_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`subscription_id` text NOT NULL,
	`kind` text NOT NULL,
	`prompt_id` text,
	`body` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` real NOT NULL,
	`created_at` real NOT NULL,
	`expires_at` real NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `push_subscriptions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `push_messages_due` ON `push_messages` (`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `push_messages_by_subscription` ON `push_messages` (`subscription_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `push_subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint` text NOT NULL,
	`p256dh` text NOT NULL,
	`auth` text NOT NULL,
	`approvals` integer NOT NULL,
	`questions` integer NOT NULL,
	`turns` integer NOT NULL,
	`jobs` integer NOT NULL,
	`user_agent` text,
	`via` text NOT NULL,
	`token_hash` text,
	`created_at` real NOT NULL,
	`last_sent_at` real,
	`last_error` text
);
--> statement-breakpoint
ALTER TABLE `cron_jobs` ADD `origin` text;
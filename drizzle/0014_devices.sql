CREATE TABLE `devices` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`token_hash` text,
	`made_by` text,
	`created_at` real NOT NULL,
	`expires_at` real,
	`last_used_at` real
);

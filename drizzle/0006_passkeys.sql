CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`rp_id` text NOT NULL,
	`public_key` text NOT NULL,
	`sign_count` integer NOT NULL,
	`label` text NOT NULL,
	`created_at` real NOT NULL,
	`last_used_at` real
);

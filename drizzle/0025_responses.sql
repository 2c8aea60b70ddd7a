CREATE TABLE `responses` (
	`stream_id` text PRIMARY KEY NOT NULL,
	`instructions` text,
	`previous_id` text,
	`metadata` text NOT NULL,
	`model` text NOT NULL,
	`is_background` integer NOT NULL,
	`shows_tools` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`created_at` real NOT NULL,
	FOREIGN KEY (`stream_id`) REFERENCES `streams`(`id`) ON UPDATE no action ON DELETE cascade
);

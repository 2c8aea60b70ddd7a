CREATE TABLE `attached_sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`agent` text NOT NULL,
	`native_id` text NOT NULL,
	`folder` text NOT NULL,
	`path` text NOT NULL,
	`read_bytes` integer NOT NULL,
	`seam` text NOT NULL,
	`known_rows` integer NOT NULL,
	`last_writer` text NOT NULL,
	`is_open` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);

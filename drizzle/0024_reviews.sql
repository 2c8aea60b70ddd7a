CREATE TABLE `review_comments` (
	`id` text NOT NULL,
	`session_id` text NOT NULL,
	`path` text NOT NULL,
	`side` text NOT NULL,
	`line` integer NOT NULL,
	`end_line` integer NOT NULL,
	`text` text NOT NULL,
	`anchor` text NOT NULL,
	`state` text NOT NULL,
	`place_path` text NOT NULL,
	`place_text` text,
	`place_line` integer,
	`place_end` integer,
	`sent_at` real,
	`stream_id` text,
	`answer` text,
	`changed_in` text,
	`version` integer NOT NULL,
	`created_at` real NOT NULL,
	PRIMARY KEY(`session_id`, `id`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `review_comments_sent` ON `review_comments` (`session_id`) WHERE state = 'sent';--> statement-breakpoint
CREATE TABLE `review_seen` (
	`session_id` text NOT NULL,
	`path` text NOT NULL,
	`version` text NOT NULL,
	PRIMARY KEY(`session_id`, `path`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `review_texts` (
	`session_id` text NOT NULL,
	`hash` text NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`session_id`, `hash`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `reviews` (
	`session_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);

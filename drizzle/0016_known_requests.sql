CREATE TABLE `known_requests` (
	`owner` text NOT NULL,
	`client_id` text NOT NULL,
	`session_id` text,
	`operation` text NOT NULL,
	`fingerprint` text NOT NULL,
	`answer` text,
	`created_at` real NOT NULL,
	PRIMARY KEY(`owner`, `client_id`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `known_requests_by_time` ON `known_requests` (`created_at`);--> statement-breakpoint
CREATE INDEX `known_requests_by_session` ON `known_requests` (`session_id`);
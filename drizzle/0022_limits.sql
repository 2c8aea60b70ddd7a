CREATE TABLE `parked_turns` (
	`stream_id` text PRIMARY KEY NOT NULL,
	`parked_at` real NOT NULL,
	`resumes_at` real,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`provider_name` text NOT NULL,
	`tries` integer NOT NULL,
	`attended` integer NOT NULL,
	`is_resuming` integer NOT NULL,
	FOREIGN KEY (`stream_id`) REFERENCES `streams`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `parked_turns_by_time` ON `parked_turns` (`resumes_at`) WHERE is_resuming = 0 and resumes_at is not null;
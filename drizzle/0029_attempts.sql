CREATE TABLE `attempt_sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`attempts_id` text NOT NULL,
	`position` integer NOT NULL,
	`model` text,
	`provider` text,
	`stream_id` text,
	`state` text NOT NULL,
	`outcome` text,
	`error` text,
	`check_passed` integer,
	`check_output` text,
	`files` integer,
	`additions` integer,
	`deletions` integer,
	`review` text,
	`reason` text,
	`started_at` real,
	`ended_at` real,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`attempts_id`) REFERENCES `attempts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attempt_sessions_by_attempts` ON `attempt_sessions` (`attempts_id`,`position`);--> statement-breakpoint
CREATE TABLE `attempt_takes` (
	`id` text PRIMARY KEY NOT NULL,
	`attempts_id` text NOT NULL,
	`session_id` text NOT NULL,
	`before` text NOT NULL,
	`after` text NOT NULL,
	`undoes` text,
	`is_whole` integer NOT NULL,
	`state` text NOT NULL,
	`at` real NOT NULL,
	FOREIGN KEY (`attempts_id`) REFERENCES `attempts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attempt_takes_by_attempts` ON `attempt_takes` (`attempts_id`,`at`);--> statement-breakpoint
CREATE INDEX `attempt_takes_open` ON `attempt_takes` (`state`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`id` text PRIMARY KEY NOT NULL,
	`profile` text NOT NULL,
	`session_id` text,
	`workspace` text NOT NULL,
	`base` text,
	`carried` integer DEFAULT false NOT NULL,
	`message` text NOT NULL,
	`check_command` text,
	`check_seconds` integer NOT NULL,
	`reviewer_model` text,
	`reviewer_provider` text,
	`limits` text,
	`state` text NOT NULL,
	`best_session_id` text,
	`verdict` text,
	`taken_session_id` text,
	`kept_until` real,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` real NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `attempts_by_profile` ON `attempts` (`profile`,`created_at`);--> statement-breakpoint
CREATE INDEX `attempts_kept` ON `attempts` (`kept_until`);--> statement-breakpoint
CREATE INDEX `attempts_by_session` ON `attempts` (`session_id`);
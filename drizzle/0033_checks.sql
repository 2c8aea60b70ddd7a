CREATE TABLE `check_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`check_id` text NOT NULL,
	`name` text NOT NULL,
	`command` text NOT NULL,
	`folder` text NOT NULL,
	`stream_id` text,
	`is_confined` integer NOT NULL,
	`state` text NOT NULL,
	`exit_code` integer,
	`output` text DEFAULT '' NOT NULL,
	`problems` text DEFAULT '[]' NOT NULL,
	`errors` integer DEFAULT 0 NOT NULL,
	`warnings` integer DEFAULT 0 NOT NULL,
	`infos` integer DEFAULT 0 NOT NULL,
	`sent_at` real,
	`created_at` real NOT NULL,
	`started_at` real,
	`ended_at` real,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`check_id`) REFERENCES `checks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `check_runs_by_folder` ON `check_runs` (`folder`,`created_at`);--> statement-breakpoint
CREATE INDEX `check_runs_by_session` ON `check_runs` (`session_id`);--> statement-breakpoint
CREATE INDEX `check_runs_open` ON `check_runs` (`state`);--> statement-breakpoint
CREATE TABLE `check_sends` (
	`session_id` text PRIMARY KEY NOT NULL,
	`stream_id` text NOT NULL,
	`count` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `checks` (
	`id` text PRIMARY KEY NOT NULL,
	`profile` text NOT NULL,
	`place` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`command` text NOT NULL,
	`file` text,
	`script` text,
	`after_turn` text NOT NULL,
	`auto_send` integer NOT NULL,
	`seconds` integer NOT NULL,
	`created_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `checks_by_place` ON `checks` (`profile`,`place`,`created_at`);
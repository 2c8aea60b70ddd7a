CREATE TABLE `auth_sessions` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`password_fingerprint` text NOT NULL,
	`created_at` real NOT NULL,
	`expires_at` real NOT NULL,
	`user_agent` text
);
--> statement-breakpoint
CREATE INDEX `auth_sessions_by_expiry` ON `auth_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `frames` (
	`stream_id` text NOT NULL,
	`seq` integer NOT NULL,
	`event` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`stream_id`, `seq`),
	FOREIGN KEY (`stream_id`) REFERENCES `streams`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `grants` (
	`session_id` text NOT NULL,
	`pattern_key` text NOT NULL,
	`created_at` real NOT NULL,
	PRIMARY KEY(`session_id`, `pattern_key`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `login_attempts` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`failed_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `login_attempts_by_address` ON `login_attempts` (`address`,`failed_at`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`position` integer NOT NULL,
	`message_id` text NOT NULL,
	`role` text NOT NULL,
	`counted` integer NOT NULL,
	`body` text NOT NULL,
	`card` text,
	`assistant_position` integer,
	`replay` text,
	`stream_id` text,
	`created_at` real NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_by_position` ON `messages` (`session_id`,`position`);--> statement-breakpoint
CREATE UNIQUE INDEX `messages_by_message_id` ON `messages` (`message_id`);--> statement-breakpoint
CREATE INDEX `messages_counted` ON `messages` (`session_id`,`position`) WHERE counted = 1;--> statement-breakpoint
CREATE TABLE `prompts` (
	`id` text PRIMARY KEY NOT NULL,
	`arrival` integer NOT NULL,
	`session_id` text NOT NULL,
	`stream_id` text NOT NULL,
	`kind` text NOT NULL,
	`body` text NOT NULL,
	`state` text NOT NULL,
	`answer` text,
	`created_at` real NOT NULL,
	`expires_at` real,
	`closed_at` real,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `prompts_open` ON `prompts` (`session_id`,`kind`,`arrival`) WHERE state in ('open', 'answering');--> statement-breakpoint
CREATE INDEX `prompts_by_stream` ON `prompts` (`stream_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`profile` text NOT NULL,
	`title` text DEFAULT 'Untitled' NOT NULL,
	`title_source` text DEFAULT 'untitled' NOT NULL,
	`workspace` text NOT NULL,
	`model` text,
	`model_provider` text,
	`personality` text,
	`project_id` text,
	`source` text DEFAULT 'webui' NOT NULL,
	`parent_session_id` text,
	`relationship_type` text,
	`read_only` integer DEFAULT false NOT NULL,
	`hidden` integer DEFAULT false NOT NULL,
	`pinned` integer DEFAULT false NOT NULL,
	`archived` integer DEFAULT false NOT NULL,
	`worktree_path` text,
	`worktree_branch` text,
	`created_at` real NOT NULL,
	`updated_at` real NOT NULL,
	`last_message_at` real,
	`message_count` integer DEFAULT 0 NOT NULL,
	`user_message_count` integer DEFAULT 0 NOT NULL,
	`input_tokens` integer DEFAULT 0 NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`cache_read_tokens` integer DEFAULT 0 NOT NULL,
	`cache_write_tokens` integer DEFAULT 0 NOT NULL,
	`estimated_cost` real,
	`context_length` integer,
	`threshold_tokens` integer,
	`last_prompt_tokens` integer,
	`todos` text,
	`generation` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_by_activity` ON `sessions` (`profile`,`archived`,coalesce("last_message_at", "updated_at"));--> statement-breakpoint
CREATE INDEX `sessions_by_parent` ON `sessions` (`parent_session_id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` real NOT NULL
);
--> statement-breakpoint
CREATE TABLE `steers` (
	`id` integer PRIMARY KEY NOT NULL,
	`stream_id` text NOT NULL,
	`text` text NOT NULL,
	`state` text NOT NULL,
	`created_at` real NOT NULL,
	FOREIGN KEY (`stream_id`) REFERENCES `streams`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `steers_by_stream` ON `steers` (`stream_id`);--> statement-breakpoint
CREATE TABLE `streams` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`terminal_state` text,
	`generation` integer NOT NULL,
	`user_message_id` text,
	`provider` text,
	`model` text,
	`started_at` real NOT NULL,
	`ended_at` real,
	`last_seq` integer DEFAULT 0 NOT NULL,
	`settled_seq` integer DEFAULT 0 NOT NULL,
	`journal_bytes` integer DEFAULT 0 NOT NULL,
	`journal_pruned` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `streams_one_active` ON `streams` (`session_id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `streams_by_session` ON `streams` (`session_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `streams_open` ON `streams` (`state`) WHERE state <> 'closed';--> statement-breakpoint
CREATE INDEX `streams_by_end` ON `streams` (`ended_at`) WHERE journal_pruned = 0;--> statement-breakpoint
CREATE TABLE `usage` (
	`stream_id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`profile` text NOT NULL,
	`provider` text,
	`model` text,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cache_read_tokens` integer NOT NULL,
	`cache_write_tokens` integer NOT NULL,
	`cost` real,
	`estimated` integer NOT NULL,
	`duration_s` real NOT NULL,
	`first_token_ms` integer,
	`created_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_by_time` ON `usage` (`created_at`);--> statement-breakpoint
CREATE INDEX `usage_by_session` ON `usage` (`session_id`);
ALTER TABLE `parked_turns` ADD `problem` text;--> statement-breakpoint
ALTER TABLE `streams` ADD `unbegun` text;--> statement-breakpoint
UPDATE `streams` SET `unbegun` = `held` ->> '$.unbegun', `held` = NULL WHERE json_valid(`held`) AND `held` ->> '$.unbegun' IS NOT NULL;--> statement-breakpoint
UPDATE `streams` SET `unbegun` = (
	SELECT json_object('attended', json('false'), 'model', `parents`.`model`, 'modelProvider', `parents`.`model_provider`)
	FROM `background_tasks` JOIN `sessions` AS `parents` ON `parents`.`id` = `background_tasks`.`parent_session_id`
	WHERE `background_tasks`.`stream_id` = `streams`.`id` AND `background_tasks`.`state` = 'queued'
) WHERE `state` = 'active' AND `kind` = 'background';

// Which sessions lists show, and in which order: conditions of SQL on the table `sessions`.

/** What the order goes by, the latest first. */
export const activity = 'coalesce(last_message_at, updated_at)'

/**
 * Empty sessions are listed once somebody has done something with them. The streams are asked in the same
 * query, so that one index gives the list.
 */
export const isListed = `hidden = 0 and archived = 0 and (message_count > 0 or pinned = 1 or worktree_path is not null
    or exists (select 1 from streams where session_id = sessions.id and state = 'active'))`

export const isPutAway = 'hidden = 0 and archived = 1'

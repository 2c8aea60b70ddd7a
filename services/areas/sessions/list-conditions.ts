// SQL conditions on the table `sessions`: which sessions lists show, and in which order.

/** The sort key, latest first. */
export const activity = 'coalesce(last_message_at, updated_at)'

/**
 * Empty sessions are listed only once they are pinned, have a worktree or have an active turn. The streams are part of the same query, so
 * that one index gives the list.
 */
export const isListed = `hidden = 0 and archived = 0 and (message_count > 0 or pinned = 1 or worktree_path is not null
    or exists (select 1 from streams where session_id = sessions.id and state = 'active'))`

export const isPutAway = 'hidden = 0 and archived = 1'

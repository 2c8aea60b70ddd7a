import { conflicts, errors } from '../../schemas/common.js'

/** The errors of routes that read git. */
export const gitReading = { ...errors(400, 403, 404, 413, 503), ...conflicts('conflict', 'dirty_worktree', 'operation_in_progress') }

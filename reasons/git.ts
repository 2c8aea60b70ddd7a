type At = Readonly<{ path: string }>

/** What git would run or follow in a workspace. Each text begins with the path. */
export const git = {
  git_attributes: ({ path }: At) => `${path} decides which filters git runs on files`,
  git_closed: ({ path }: At) => `${path} is a folder that cannot be checked`,
  git_found: ({ path, what }: At & { what: string }) => `${path} ${what}`,
  git_head_invalid: ({ path }: At) => `${path} is a repository without a valid HEAD, so git looks for another one`,
  git_history: ({ path }: At) => `${path} decides which history git sees`,
  git_hook: ({ path }: At) => `${path} is run by git`,
  git_hook_beside: ({ path }: At) => `${path} is in the folder of hooks that git runs`,
  git_hooks_elsewhere: ({ path, folder }: At & { folder: string }) => `${path} points to hooks in ${folder}`,
  git_includes_too_many: ({ path }: At) => `${path} is included by git and was not checked, because too many files are included`,
  git_link: ({ path, target }: At & { target: string }) => `${path} is a link to ${target}`,
  git_named_by: ({ path, setting }: At & { setting: string }) => `${path} is named by ${setting}`,
  git_names_repository: ({ path, text }: At & { text: string }) => `${path} names a repository: ${text}`,
  git_names_too_many: ({ path }: At) => `${path} names more files than can be checked`,
  git_objects_elsewhere: ({ path, text }: At & { text: string }) => `${path} takes objects from ${text}`,
  git_objects_missing: ({ path }: At) => `${path} is a repository without objects or refs, so git looks for another one`,
  git_pushes_to: ({ path, text }: At & { text: string }) => `${path} decides where git pushes: ${text}`,
  git_rebase_runs: ({ path }: At) => `${path} contains commands that a rebase runs`,
  git_running: () => 'a command in the sandbox is still running in this folder, so what it leaves is not known yet',
  git_sets: ({ path, name }: At & { name: string }) => `${path} sets ${name}`,
  git_sets_to: ({ path, name, value }: At & { name: string, value: string }) => `${path} sets ${name} = ${value}`,
  git_settings_elsewhere: ({ path, text }: At & { text: string }) => `${path} takes hooks and settings from ${text}`,
  git_too_deep: ({ path }: At) => `${path} contains folders too deep to be checked`,
  git_too_large: ({ path }: At) => `${path} is too large to be checked, so what a command leaves there for git goes unnoticed`,
  git_too_many_files: ({ path }: At) => `${path} contains more files than can be checked`,
  git_unlooked: ({ path, error }: At & { error: string }) =>
    `${path} cannot be checked (${error}), so what a command leaves there for git goes unnoticed`,
  git_unread: ({ path }: At) => `${path} is too long or cannot be read, so what it tells git is unknown`,
  git_worktree_elsewhere: ({ path, text }: At & { text: string }) => `${path} names a worktree elsewhere: ${text}`
}

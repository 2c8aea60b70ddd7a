type At = Readonly<{ path: string }>

/** What git would run or follow in a workspace. Each text begins with the path. */
export const git = {
  git_attributes: ({ path }: At) => `${path} says which filters files go through`,
  git_closed: ({ path }: At) => `${path} is a folder that cannot be looked through`,
  git_found: ({ path, what }: At & { what: string }) => `${path} ${what}`,
  git_head_invalid: ({ path }: At) => `${path} is a repository without a valid HEAD, so that git looks for another one`,
  git_history: ({ path }: At) => `${path} says which history git sees`,
  git_hook: ({ path }: At) => `${path} is run by git`,
  git_hook_beside: ({ path }: At) => `${path} lies where git runs hooks`,
  git_hooks_elsewhere: ({ path, folder }: At & { folder: string }) => `${path} leads to hooks in ${folder}`,
  git_includes_too_many: ({ path }: At) => `${path} is one of more included files than can be followed`,
  git_link: ({ path, target }: At & { target: string }) => `${path} is a link to ${target}`,
  git_named_by: ({ path, setting }: At & { setting: string }) => `${path} is what ${setting} names`,
  git_names_repository: ({ path, text }: At & { text: string }) => `${path} names a repository: ${text}`,
  git_names_too_many: ({ path }: At) => `${path} names more than can be followed`,
  git_objects_elsewhere: ({ path, text }: At & { text: string }) => `${path} takes objects from ${text}`,
  git_objects_missing: ({ path }: At) => `${path} is a repository without objects or refs, so that git looks for another one`,
  git_pushes_to: ({ path, text }: At & { text: string }) => `${path} says where git pushes to: ${text}`,
  git_rebase_runs: ({ path }: At) => `${path} says what a rebase runs`,
  git_running: () => 'a command in the sandbox is still running in this folder, and what it leaves is not known yet',
  git_sets: ({ path, name }: At & { name: string }) => `${path} sets ${name}`,
  git_sets_to: ({ path, name, value }: At & { name: string, value: string }) => `${path} sets ${name} = ${value}`,
  git_settings_elsewhere: ({ path, text }: At & { text: string }) => `${path} takes hooks and settings from ${text}`,
  git_too_deep: ({ path }: At) => `${path} holds folders too deep to be looked through`,
  git_too_large: ({ path }: At) => `${path} is too large to be looked through, so what a command leaves there for git to run is not noticed`,
  git_too_many_files: ({ path }: At) => `${path} holds more files than can be looked through`,
  git_unlooked: ({ path, error }: At & { error: string }) =>
    `${path} cannot be looked through (${error}), so what a command leaves there for git to run is not noticed`,
  git_unread: ({ path }: At) => `${path} is too long to be read, or closed, so that nobody knows what it tells git`,
  git_worktree_elsewhere: ({ path, text }: At & { text: string }) => `${path} names a worktree elsewhere: ${text}`
}

/** The senders that may call a hook. What each has to be told is in the texts; the service accepts all of them at any hook. */
export const senderNames = ['github', 'gitea', 'gitlab', 'json'] as const
export type Sender = typeof senderNames[number]

interface Known {
  /** The offered events, by the service's names. */
  events: readonly string[]
  /** An example of a call, for trying a template. */
  sample: { event: string, payload: object }
  /** The values that a template for this sender starts with. */
  places: readonly string[]
}

const issue = {
  action: 'opened',
  issue: { number: 7, title: 'Search finds nothing', body: 'Since the last release.', labels: [{ name: 'bug' }] },
  repository: { full_name: 'me/site' }
}

export const senders: Readonly<Record<Sender, Known>> = {
  github: {
    events: ['issues.opened', 'issues.labeled', 'issue_comment.created', 'pull_request.opened', 'check_run.completed', 'push'],
    sample: { event: 'issues', payload: issue }, places: ['issue.title', 'issue.body', 'repository.full_name', 'event']
  },
  gitea: {
    events: ['issues.opened', 'issue_comment.created', 'pull_request.opened', 'push', 'release'],
    sample: { event: 'issues', payload: issue }, places: ['issue.title', 'issue.body', 'repository.full_name', 'event']
  },
  gitlab: {
    events: ['Issue Hook', 'Merge Request Hook', 'Note Hook', 'Pipeline Hook', 'Push Hook'],
    sample: {
      event: 'Issue Hook',
      payload: {
        object_kind: 'issue',
        object_attributes: { iid: 7, title: 'Search finds nothing', description: 'Since the last release.', action: 'open' },
        project: { path_with_namespace: 'me/site' }
      }
    },
    places: ['object_attributes.title', 'object_attributes.description', 'project.path_with_namespace', 'event']
  },
  json: {
    events: [], sample: { event: '', payload: { event: 'form.sent', name: 'Ada', message: 'When do you open?' } },
    places: ['name', 'message', 'event', 'payload']
  }
}

/** Returns the most likely sender of a hook, judged by its events and the values that its template uses. */
export function senderOf ({ events, template }: { events: readonly string[], template: string }): Sender {
  const text = [...events, template].join(' ')
  if (/ Hook\b|object_attributes|path_with_namespace/.test(text)) return 'gitlab'
  return /\b(?:issues|issue_comment|pull_request|check_run|push|release)\b|repository\.full_name/.test(text) ? 'github' : 'json'
}

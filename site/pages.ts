/** A page of the site: the name of its files, and the path of its Markdown from the project's root. */
interface Source { readonly name: string, readonly path: string }

/** A group of pages in the navigation. */
export interface Group { readonly title: string, readonly pages: readonly Source[] }

const inDocs = (...names: string[]): Source[] => names.map((name) => ({ name, path: `docs/${name}.md` }))
const atTheTop = (name: string): Source => ({ name: name.toLowerCase(), path: `${name}.md` })

/** The first page of the HTTP reference. The others are named after their tag, such as `api-sessions`. */
export const apiPage = 'api'

/** All pages in the order of the navigation, except those of the HTTP reference, which follow the pages of "Reference". */
export const groups: readonly Group[] = [
  { title: 'Get started', pages: [{ name: 'index', path: 'docs/README.md' }, ...inDocs('tour', 'install', 'platforms', 'features')] },
  { title: 'Guides', pages: inDocs('phone', 'reverse-proxy', 'ollama', 'claude-code', 'morning', 'nas', 'docker') },
  { title: 'Clients', pages: inDocs('connect', 'curl', 'editors', 'openai', 'clients', 'tokens') },
  { title: 'Agents and machines', pages: inDocs('agents', 'machines', 'scaling') },
  {
    title: 'Operation',
    pages: [...inDocs('configuration', 'command-line', 'operations', 'upgrade', 'metrics', 'traces', 'troubleshooting'), atTheTop('SECURITY')]
  },
  { title: 'Reference', pages: inDocs('interface', 'files-and-git') },
  {
    title: 'About',
    pages: [
      ...inDocs('faq', 'comparison', 'performance', 'reliability', 'architecture', 'app', 'development', 'writing', 'releasing'),
      atTheTop('CONTRIBUTING'), atTheTop('CHANGELOG')
    ]
  }
]

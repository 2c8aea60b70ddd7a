/** A page of the site: the name of its files, and the Markdown that it is made of, from the project's root. */
interface Source { readonly name: string, readonly path: string }

/** A part of the side navigation. */
export interface Group { readonly title: string, readonly pages: readonly Source[] }

const inDocs = (...names: string[]): Source[] => names.map((name) => ({ name, path: `docs/${name}.md` }))
const atTheTop = (name: string): Source => ({ name: name.toLowerCase(), path: `${name}.md` })

/** The page that begins the reference of the interface; the others are named after their tag, such as `api-sessions`. */
export const apiPage = 'api'

/** Every page in the order of the navigation, but for those of the reference, which follow the pages of "Reference". */
export const groups: readonly Group[] = [
  { title: 'Begin', pages: [{ name: 'index', path: 'docs/README.md' }, ...inDocs('tour', 'install', 'platforms', 'features')] },
  { title: 'How to', pages: inDocs('phone', 'reverse-proxy', 'ollama', 'claude-code', 'morning', 'nas', 'docker') },
  { title: 'Clients', pages: inDocs('connect', 'curl', 'editors', 'openai', 'clients', 'tokens') },
  { title: 'Agents and machines', pages: inDocs('agents', 'machines', 'scaling') },
  {
    title: 'Run it',
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

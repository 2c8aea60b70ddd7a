import { type Words } from '../en/index.js'

const of = (count: number, what: string): string => count === 0 ? '' : `${count} ${what}`

export const plugins: Words['plugins'] = {
  note: '插件是一个包含命令、技能和 MCP 服务器的文件夹，结构与 Claude Code 的插件相同。请放入配置档案的这个文件夹：',
  none: '还没有插件。',
  on: '已启用',
  off: '已停用',
  changed: '有改动',
  changedNote: '启用之后，它的文件有了改动。在你查看新版本之前，仍使用原来的版本。',
  look: '查看并启用',
  lookAgain: '查看改动',
  switchOn: '启用',
  useNew: '使用新版本',
  switchOff: '停用',
  isOn: (name) => `已启用“${name}”。`,
  isOff: (name) => `已停用“${name}”。`,
  by: (author, version) =>
    [version === '' ? '' : `版本 ${version}`, author === '' ? '' : `作者：${author}`].filter((part) => part !== '').join(' '),
  counts: (commands, skills, servers) =>
    [of(commands, '个命令'), of(skills, '个技能'), of(servers, '个 MCP 服务器')].filter((part) => part !== '').join(' · '),
  contents: '内容',
  commands: '命令',
  skills: '技能',
  servers: 'MCP 服务器',
  runs: '在这台机器上启动：',
  asks: '连接到：',
  sandboxed: '在沙箱中',
  variables: (names) => `它会得到配置档案 .env 中的这些值：${names}`,
  nothing: '它没有本服务能用的内容。',
  unused: (names) => `这里不使用：${names}`,
  files: (count) => `${count} 个文件`,
  moreFiles: (count) => `还有 ${count} 个文件未列出。`,
  changes: { added: '新增', changed: '已改动', removed: '已移除' },
  executable: '程序',
  gone: '这个文件已经不在了。',
  trust: '插件的内容会交给模型，它的服务器以你的权限运行。只启用你信任的插件。'
}

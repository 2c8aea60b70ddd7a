import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('zh-CN'))

export const skills: Words['skills'] = {
  create: '新建技能',
  createNote: '针对某类工作的说明。遇到这类工作，或你输入命令时，智能体会读它。',
  empty: '还没有技能',
  emptyText: '技能告诉智能体某类工作该怎么做，写一次就够了。',
  noOwn: '你还没有自己的技能。',
  exampleButton: (name) => `试一个：${name}`,
  example: { name: 'commit-style', description: '这里的提交怎么写', body: '# 提交\n\n- 每次提交只做一件事。\n- 第一行说明对使用者有什么好处，不超过 72 个字符。' },
  search: '搜索技能',
  categories: {
    Info: '信息', Session: '对话', Conversation: '交流', Configuration: '设置', Commands: '命令', Skills: '技能', Workspace: '文件夹', Plugin: '插件', development: '开发', writing: '写作'
  },
  shipped: {
    'Review a change, a branch or a file for faults that matter, each with a place, a consequence and a proposal.':
      '审查一处改动、一个分支或一个文件，指出重要的问题，并说明位置、后果和建议。',
    'Write a commit message for staged or recent changes that tells a later reader what changed and why.':
      '为改动撰写提交信息，让日后的读者明白改了什么、为什么改。',
    'Find the cause of a fault by evidence and mend it at its root.':
      '凭证据找出故障的原因，并从根本上修复。',
    'Write tests that fail when a promise of the code is broken and only then.':
      '编写只在代码违背承诺时才会失败的测试。',
    'Summarise a document, article, transcript or thread faithfully, for a reader who has to decide or act.':
      '忠实地概括文档、文章、记录或讨论，供读者决策或行动。'
  },
  noMatch: '没有符合的技能。',
  bundles: '组合',
  noBundles: '还没有组合。组合把几个技能放在一个命令下，是配置档案的组合文件夹里的一个文件。',
  bundled: (count) => `${count} 个技能`,
  commands: '命令',
  searchCommands: '搜索命令',
  noCommand: '没有符合的命令。',
  origins: { profile: '自己的', external: '共享文件夹', plugin: '插件', claude: '~/.claude', shipped: '内置' },
  uses: (count) => `用过 ${number.format(count)} 次`,
  shadows: (origins) => `取代了同名的技能（${origins}）。`,
  isOn: (name) => `启用 ${name}`,
  off: '已关闭',
  edit: '编辑',
  changeCopy: '修改它的副本',
  view: '显示方式',
  views: { write: '编写', read: '阅读', source: '源文本' },
  inSource: '用途写成了多行，请在源文本中编辑。',
  purpose: '它应该会做什么？',
  purposePlaceholder: '根据上个版本以来的提交写发布说明',
  purposeHint: '你的请求与此有关时，智能体会读这项技能。',
  how: '该怎么做？',
  howPlaceholder: '1. 查看上个版本以来的提交。\n2. 按使用者能察觉的变化分组。',
  letAgent: '让智能体来写',
  askAgent: (purpose, body) => `请为此写一项技能，并用你的技能工具保存：${purpose}${body === '' ? '' : `\n\n请遵照这些要点：\n\n${body}`}`,
  text: '源文本',
  name: '名称',
  category: '分类',
  more: '更多',
  importButton: '导入…',
  exportOne: '导出',
  exportOwn: (count) => `导出你的 ${number.format(count)} 个技能`,
  importTitle: '导入技能',
  importNote: '来自 zip 或 tar 压缩包，或一个文件夹，例如其他智能体的技能文件夹。保存之前你会看到里面的内容。',
  importReview: '尚未保存任何内容。只导入你信任的技能：智能体会遵循其中的说明，并可能运行其中的脚本。',
  chooseArchive: '选择压缩包…',
  chooseFolder: '选择文件夹…',
  uploadFailed: '上传失败：连接中断，或文件超过服务允许的大小。',
  importCount: (count) => `导入 ${number.format(count)} 个技能`,
  imported: (names) => `已导入：${names}`,
  otherFiles: (count) => `另有 ${number.format(count)} 个文件不属于任何技能。`,
  scripts: (count) => `${number.format(count)} 个脚本`,
  files: (count) => `${number.format(count)} 个文件`,
  executable: '可执行',
  script: '脚本',
  cannotImport: '无法导入：',
  hasSame: '你已有这个技能，文件相同。',
  hasOther: '你已有同名的技能，文件不同。',
  choiceFor: (name) => `如何处理 ${name}`,
  choiceMissing: '请选择如何处理。',
  choices: {
    ask: '请选择…', take: '导入', replace: '替换我的', keep_both: '两个都保留', skip: '不导入'
  },
  saved: (name) => `“${name}”已保存。`,
  deleted: (name) => `“${name}”已删除。`,
  deleteFiles: '旁边的文件也会一并删除，无法恢复。',
  conflict: '有人改动了这个技能，你的修改仍在。',
  keepMine: '保存我的',
  takeTheirs: '采用对方的',
  theirs: '现在的内容'
}

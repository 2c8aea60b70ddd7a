import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('zh-CN'))

export const memory: Words['memory'] = {
  names: { memory: '笔记', user: '关于你', soul: '人格', project: '工作区说明' },
  about: {
    memory: '智能体为自己记下的内容。每次对话开始时它都会读到，经你允许后可以修改。',
    user: '智能体对你的了解。每次对话开始时它都会读到，经你允许后可以修改。',
    soul: '智能体是谁、怎样说话。只有人可以修改。',
    project: '这些规则来自工作区，只在那里有效，请直接修改文件。'
  },
  examples: {
    memory: '- 网站的测试用 `npm test` 运行。\n- 每周五发布。',
    user: '- 叫我小金。\n- 回答简短，用公制单位。',
    soul: '你是一位沉稳的同事，不知道的事会直说。'
  },
  useExample: '从示例开始',
  off: '此配置档案没有使用这份文档。',
  problem: (problem) => `无法读取这份文档：${problem}`,
  masked: '密钥和密码显示为 [redacted]。不要改动这些行，它们的值就会保留。',
  plain: '现在没有任何遮盖：密钥和密码可以直接看到。',
  showValues: '显示',
  hideValues: '隐藏',
  tooLong: (bytes, most) => `太长了：${number.format(bytes)} 字节，上限 ${number.format(most)} 字节。`,
  discard: '放弃修改',
  saved: '已保存，新的对话会读到它。',
  conflict: '有人改动了这份文档，你的修改仍在。',
  keepMine: '保存我的',
  takeTheirs: '采用对方的',
  theirs: '现在的内容',
  view: '显示方式',
  views: { facts: '逐条', text: '全文' },
  fact: '内容',
  factPlaceholder: '每周五发布。',
  noFacts: '还没有记下什么。告诉智能体要记住的事，或者在这里添加。',
  moreFacts: (count) => `再显示 ${number.format(count)} 条`,
  addFact: '添加一条',
  editFact: '编辑这一条',
  forget: '忘掉这一条',
  forgotten: '已忘掉，新的对话不再知道它。',
  olderThan: (at) => `早于 ${at}`,
  tidy: '整理',
  proposal: '整理后的版本',
  tidying: '模型正在查找重复和过时的内容…',
  tidyAlready: '没有需要整理的内容。',
  accept: '采用',
  leave: '保持原样',
  tidied: '文档已整理。',
  versions: '历史版本',
  noVersions: '还没有更早的版本。',
  authors: { person: '由你修改', agent: '由智能体修改', disk: '在磁盘上修改' },
  bytes: (bytes) => `${number.format(bytes)} 字节`,
  missing: '没有文件',
  current: '当前',
  currentNote: '这就是现在的内容。',
  since: '此后的改动：',
  restore: '恢复这个版本',
  restored: '版本已恢复。',
  shadowed: (count) => `有 ${count} 个文件在此不起作用`
}

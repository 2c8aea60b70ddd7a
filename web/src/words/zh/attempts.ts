import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('zh', 0.01)
const number = formatter(() => new Intl.NumberFormat('zh', { notation: 'compact', maximumFractionDigits: 1 }))

export const attempts: Words['attempts'] = {
  none: '还没有尝试',
  noneText: '在对话框里写下任务，在旁边的菜单里选择“尝试多次”。每次尝试都在自己的副本里进行。',
  all: '所有尝试',
  gone: '这些尝试已不存在。',
  count: (count) => `${count} 次尝试`,
  carried: '每次尝试都从你尚未提交的更改开始。',
  begin: {
    title: '尝试多次',
    note: '同一任务做多次，每次都有自己的 git 工作树和对话。比较结果后采用其中一个。',
    noTask: '请先在对话框里写下任务。',
    count: '尝试次数',
    models: '模型（依次使用）',
    addModel: '添加模型',
    removeModel: (name) => `移除 ${name}`,
    more: '检查、评审与预算',
    check: '检查',
    checkHint: '在每个结果里运行的命令，例如 npm test。它会直接运行，与智能体的命令一样受限；git 忽略的内容（如已安装的包）不在工作树里。',
    reviewer: '评审者',
    noReviewer: '无',
    budget: '预算（美元）',
    budgetHint: '所有尝试合计；用完后一起停止。',
    go: (count) => `开始 ${count} 次尝试`
  },
  columns: { attempt: '尝试', state: '状态', check: '检查', changes: '更改', cost: '费用', tokens: 'Token', time: '用时' },
  name: (position, model) => model === null ? `第 ${position} 次` : `${position} · ${model}`,
  states: {
    waiting: '等待中', running: '进行中', checking: '检查中', reviewing: '评审中', done: '完成', failed: '失败', cancelled: '已停止', stopped: '预算用完'
  },
  waitsForYou: '等待你',
  passed: '通过',
  failed: '未通过',
  noCheck: '–',
  files: (count) => `${count} 个文件`,
  noChange: '没有更改',
  cost: (amount) => amount === null || amount === 0 ? '–' : dollars(amount),
  tokens: (count) => number.format(count),
  tokensUsed: (count) => `${count} token`,
  best: '评判者推荐',
  isTaken: '已采用',
  judging: '评判者正在比较……',
  judge: '评判者',
  review: '评审',
  checkOutput: '检查的输出',
  answer: '回答',
  changes: '更改',
  openChat: '打开对话',
  take: '采用',
  takeTitle: '采用这次尝试？',
  takeNote: (files, folder) => `它对 ${files} 个文件的更改将应用到 ${folder}。那里之后的改动会保留。一周内可以撤销。`,
  took: (files) => `已采用：更改了 ${files} 个文件。`,
  takeFile: '采用文件',
  takeHunk: '采用此处',
  undo: '撤销',
  undone: (files) => `已撤销：更改了 ${files} 个文件。`,
  stop: '全部停止',
  remove: '移除工作树',
  removeTitle: '移除工作树？',
  removeNote: '其中没有采用也没有提交的更改会丢失。对话会保留。',
  removed: '工作树已移除。',
  noWorktree: '它的工作树已移除。',
  kept: (when) => `工作树将于${when}移除。`,
  budget: (used, limit) => `已用 ${used}，共 ${limit}`,
  binary: '二进制文件'
}

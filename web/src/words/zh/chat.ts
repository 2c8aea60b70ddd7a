import { type Words } from '../en/index.js'

export const chat: Words['chat'] = {
  rename: '重命名',
  pin: '置顶',
  unpin: '取消置顶',
  archive: '归档',
  unarchive: '从归档恢复',
  worktree: '工作树',
  duplicate: '复制对话',
  export: '导出',
  share: '分享页面',
  shared: '现在任何持有链接的人都能阅读这段对话。链接已复制。',
  moveTo: (project) => `移到“${project}”`,
  moveOut: '移出所在项目',
  otherFolder: '换一个文件夹工作',
  undoExchange: '撤回最后一轮',
  exchangeUndone: '最后一轮已撤回。',
  openKept: '打开原来的样子',
  delete: '删除',
  deleteTitle: '删除这个对话？',
  deleteText: '对话和其中的一切都会永久消失。',
  archived: '已归档。',
  yolo: '一切直接运行，不询问',
  side: {
    question: '旁问',
    task: '后台任务',
    lost: '这个回答已不再保留。',
    states: { running: '进行中', stopping: '正在停止', done: '完成', elsewhere: '结果已在另一个窗口显示。', gone: '它的对话已经不存在了。' }
  },
  noEffort: '此模型没有可选项。',
  noPersonalities: '没有人格。可在 config.yaml 中设置。',
  usage: {
    title: '此对话的用量',
    window: (percent) => `上下文已用 ${percent}%`,
    held: (held, length) => `${held} / ${length} token`,
    threshold: (tokens) => `到 ${tokens} 时概括`,
    model: '模型',
    input: '读入 token',
    output: '写出 token',
    cache: '来自缓存',
    cost: '费用',
    unpriced: '价格未知',
    last: '上一轮',
    speed: (tokensPerSecond) => `每秒 ${tokensPerSecond} token`,
    compress: '现在概括较早的部分',
    all: '全部用量和预算'
  }
}

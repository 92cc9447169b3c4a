// What the console loads when it is needed: all views but the first, and the search.
import { addTexts } from '../shared/texts.js';
import en from './text_views_en.js';
import zh from './text_views_zh.js';

export { Blocked } from './blocked.js';
export { Changes } from './changes.js';
export { Deliveries } from './deliveries.js';
export { Edit } from './edit.js';
export { Endpoints } from './endpoints.js';
export { Goods } from './goods.js';
export { Home, NotAllowed } from './home.js';
export { Jobs } from './jobs.js';
export { Keys } from './keys.js';
export { Live } from './live.js';
export { Login } from './login.js';
export { Money } from './money.js';
export { Order } from './order.js';
export { Payment } from './payment.js';
export { Points } from './points.js';
export { Queue } from './queue.js';
export { Report } from './report.js';
export { Sales } from './sales_list.js';
export { Settings } from './settings.js';
export { User } from './user.js';
export { Voucher } from './voucher.js';
export { SearchDialog } from './search_dialog.js';

addTexts({ en, zh });

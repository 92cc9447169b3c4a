import{$ as E,$a as et,Aa as pn,Ba as Ve,Ca as k,Da as Qe,Ea as R,Fa as G,G as Zt,Ga as Ye,Ha as F,I as g,Ia as z,J as Xt,Ja as mn,K as N,Ka as qt,L as H,La as $n,M as en,Ma as ee,N as St,Na as J,Oa as Z,P as Ge,Pa as Te,Q as Fe,Qa as te,R as j,Ra as Ze,S as T,Sa as fn,T as $e,Ta as po,U as tn,Ua as _n,V as nn,Va as hn,W as ze,Wa as bn,Y as rn,Ya as mo,Z as Tt,Za as Xe,_ as W,_a as gn,a as Ae,aa as Je,ab as yn,ba as on,c as v,cb as $o,d as P,da as C,e as L,ea as We,f as ke,fa as A,g as i,ga as U,gb as vn,h as Re,ia as sn,ib as kn,j as Ht,jb as fo,k as Me,ka as fe,kb as Et,la as _e,lb as wn,m as Ie,ma as He,mb as tt,n as Kt,na as he,nb as nt,o as t,oa as an,p as we,pa as Pt,pb as xn,q as Vt,qa as dn,ra as Se,s as D,sa as cn,t as h,ta as ln,tb as ne,u as xe,ub as On,v as Oe,va as un,vb as be,wa as B,wb as Sn,x as Be,xa as ie,xb as rt,y as Qt,ya as K,yb as Tn,z as Yt,za as Ke,zb as _o}from"./chunk-SVGVWUAF.js";var Pn={preview_help:"So buyers will see the sale. Nothing is saved.",preview_untitled:"No title yet",preview_starts:"Starts {time}",preview_limit:"At most {limit} for each buyer",preview_segments:"For certain buyers only",preview_pay:"{minutes} min to pay",preview_units:"Units: {units}",refund_order:"Refund",refund_an_order:"Refund an order: choose it, or type its number",refund_none_yet:"Nothing goes back yet.",refund_all:"All that is left",refund_line:"Refund units",refund_line_title:"Refund units of {title}",refund_nothing:"Choose what is refunded.",refund_force:"Refund also vouchers that were redeemed, or that are not chosen",refund_restock:"Also put all units of the order back into stock",refund_restock_last:"Units go back into stock once all money of the order is refunded: refund all that is left.",refund_voucher:"Voucher {code}",refund_units:"{title}, of {quantity} that are left",codes_file:"Or from a file",codes_counted:"Codes: {codes}.",codes_nothing:"Nothing was done: each line must have a code.",codes_most:"At most {most} codes at once; onrush vouchers takes more.",report:"Report",report_of:"Report: {sale}",report_live:"Live figures",report_made:"Sums of all stored orders, made on {time}. Amounts include freight.",report_unsettled:"These figures may still change. Orders that wait to be stored: {placed}, to be paid: {unpaid}.",report_queue_unknown:"These figures may still change. How many orders wait to be stored is not known right now.",report_paid:"Paid",report_whole:"{orders} orders completely",report_net:"Net",report_net_note:"paid less refunded",report_failed_note:"orders that could not be stored",report_peak:"Most orders in a second",report_peak_kept:"no order yet",report_peak_deleted:"no longer known",report_peak_unavailable:"not known right now",report_unpaid_units:"Units unpaid",report_cancelled_units:"Units cancelled",report_offered:"Units offered",report_none:"No order was placed.",report_skus:"By SKU",report_points:"By stock point",report_every_60:"By minute",report_every_3600:"By hour",report_every_86400:"By day",report_placed:"Placed from",report_others:"Others",report_without:"None named",report_traffic:"Refusals",report_requests:"Requests for a path: {paths}. Submits: {submits}.",report_early:"In the waiting room before the start: {n}.",report_refused_none:"Nobody was refused.",report_traffic_deleted:"Refusals and the peak are kept for 30 days. Those of this sale are no longer known.",report_traffic_unavailable:"Refusals and the peak can't be read right now.",description_help:"Plain text or Markdown: **bold**, *italic*, lists, # headings, `code`, [links](https://…).",print:"Print",upload:"Choose a file",upload_help:"or drop a JPEG, PNG or WebP here, up to 1 MB",uploading:"Uploading {file} …",uploaded:"{file} is uploaded. Save to use it.",upload_kind:"This is no JPEG, PNG or WebP.",upload_large:"This file is larger than 1 MB. Save the picture smaller, or with lower quality.",action_picture_uploaded:"Uploaded a picture",action_picture_deleted:"Deleted a picture"};var qn={preview_help:"买家将看到的样子。不会保存任何内容。",preview_untitled:"尚无标题",preview_starts:"{time} 开始",preview_limit:"每人限购 {limit} 件",preview_segments:"仅限部分买家",preview_pay:"{minutes} 分钟内付款",preview_units:"{units} 件",refund_order:"退款",refund_help:"最多为剩余的 {amount}。留空：按所选件数的价格。填 0：不退钱，只作废所选内容。已售件数不变。",refund_an_order:"退款：选择订单，或输入订单号",refund_none_yet:"尚未选择退款内容。",refund_all:"剩余全部金额",refund_line:"退部分件",refund_line_title:"退 {title}",refund_nothing:"请选择退款内容。",refund_force:"同时退已核销或未选中的券",refund_restock:"同时将订单的全部商品退回库存",refund_restock_last:"订单款项全部退还后，商品才能退回库存：请退还剩余的全部金额。",refund_voucher:"券 {code}",refund_units:"{title}，剩余 {quantity} 件",codes_file:"或从文件读取",codes_counted:"券码：{codes} 个。",codes_nothing:"未做任何更改：每行都必须是一个券码。",codes_most:"一次最多 {most} 个券码；更多请用 onrush vouchers。",report:"报告",report_of:"报告：{sale}",report_live:"实时数据",report_made:"按所有已入库订单汇总，生成于 {time}。金额含运费。",report_unsettled:"数据仍可能变动：等待入库 {placed} 单，等待付款 {unpaid} 单。",report_queue_unknown:"数据仍可能变动：暂时无法得知还有多少订单等待入库。",report_paid:"已付金额",report_whole:"{orders} 单全额退款",report_net:"净额",report_net_note:"已付减去退款",report_failed_note:"无法入库的订单",report_peak:"每秒最高订单数",report_peak_kept:"尚无订单",report_peak_deleted:"数据已过期",report_peak_unavailable:"暂时无法读取",report_unpaid_units:"未付款件数",report_cancelled_units:"已取消件数",report_offered:"投放件数",report_none:"没有订单。",report_skus:"按商品",report_points:"按库存点",report_every_60:"按分钟",report_every_3600:"按小时",report_every_86400:"按天",report_placed:"下单时段",report_others:"其他",report_without:"未标明",report_traffic:"拒绝原因",report_requests:"路径请求 {paths} 次，提交 {submits} 次。",report_early:"开始前进入等候室 {n} 人。",report_refused_none:"没有请求被拒绝。",report_traffic_deleted:"拒绝次数和峰值保留 30 天，本活动的数据已不可查。",report_traffic_unavailable:"暂时无法读取拒绝次数和峰值。",description_help:"纯文本或 Markdown：**粗体**、*斜体*、列表、# 标题、`代码`、[链接](https://…)。",print:"打印",upload:"选择文件",upload_help:"或将图片拖到此处：JPEG、PNG、WebP，不超过 1 MB",uploading:"正在上传 {file} …",uploaded:"{file} 已上传，保存后生效。",upload_kind:"仅支持 JPEG、PNG 或 WebP 图片。",upload_large:"文件超过 1 MB，请缩小尺寸或降低画质后再试。",action_picture_uploaded:"上传图片",action_picture_deleted:"删除图片"};function ho(){let[e,n]=v({kind:""}),r=G("/blocked",e),o=(m,$)=>`/blocked/${encodeURIComponent(`${$}:${m}`)}`,s=[["user",t("block_user")],["address",t("block_address")]],a=[{name:"kind",label:t("kind"),options:s},{name:"subject",label:t("subject"),help:t("subject_help"),required:!0,maxlength:64},{name:"reason",label:t("reason"),required:!0,maxlength:200},{name:"until",label:t("until"),help:t("until_help"),type:"datetime-local"}],d=(m,$)=>r.items.find(f=>f.kind===m&&f.subject===$)?.version,c=(m,$,f,_)=>g("PUT",o($,m),{body:f,version:_,create:!_}),l=(m,$,f)=>g("DELETE",o($,m),{version:f}),p=({kind:m,subject:$,reason:f,until:_},y,w=d(m,$))=>c(m,$,{reason:f,..._&&{until:new Date(_).toISOString()}},w),u=(m,{kind:$,subject:f})=>!d($,f)&&(()=>l($,m.subject,m.version)),b=[[t("subject"),m=>i`<code>${m.subject}</code>`,"lead"],[t("kind"),m=>t(`block_${m.kind}`),"end"],[t("reason"),m=>m.reason,"wide"],[A(t("until")),m=>m.until?i`<${U} at=${m.until} />`:t("no_end"),"named"],[A(t("since")),m=>i`<${U} at=${m.updated_at} />`,"named"],["",m=>i`<${k} route="DELETE /blocked/{subject}"
        label=${t("unblock")} title=${t("unblock_title",{subject:m.subject})}
      run=${($,f,_=m.version)=>l(m.kind,m.subject,_)}
      done=${t("done_unblocked",{subject:m.subject})}
      undo=${()=>()=>c(m.kind,m.subject,{reason:m.reason,...m.until&&{until:m.until}})}
      then=${r.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_blocked")}</h1>
      <${k} route="PUT /blocked/{subject}"
        label=${t("block")} kind="go" id="block" title=${t("block_title")} help=${t("block_help")}
        fields=${a} run=${p} done=${m=>t("done_blocked",{subject:m.subject})}
        undo=${u} then=${r.reload} /></div>
    <${ee} fields=${[{name:"kind",label:t("kind"),options:[["",t("all")],...s]}]}
      values=${e} change=${n} />
    <${z} list=${r} name=${t("menu_blocked")} columns=${b} empty=${t("blocked_none")}
      keyOf=${m=>`${m.kind}:${m.subject}`} />`}var bo=4,go={activity:["created","changed","published","paused","resumed","taken_offline","stock_changed","stock_change_refused","stock_change_abandoned","reloaded","repaired","deleted"],sku:["created","changed","stock_changed","deleted"],point:["created","changed","deleted"],order:["refunded","noted","held","paid_outside"],payment:["flag_cleared"],refund:["retried","reported"],voucher:["redeemed"],dead:["replayed","discarded"],blocked:["created","changed","deleted"],endpoint:["registered","changed","secret_changed","resent","deleted"],job:["run","paused","resumed"],key:["created","revoked"]},En={activity:e=>`#/edit/${e}`,sku:e=>`#/goods?${new URLSearchParams({sku_id:e})}`,point:e=>`#/points?${new URLSearchParams({point_id:e})}`,order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?${new URLSearchParams({refund_number:e})}`,voucher:e=>`#/voucher/${e}`,dead:()=>"#/queue",blocked:()=>"#/blocked",endpoint:e=>`#/deliveries/${e}`,job:()=>"#/jobs",key:()=>"#/keys"};function yo(e,n){return[e,...n.filter(s=>s.on===e.on)].flatMap(({before:s,after:a})=>[a,s]).map(s=>s?.title??s?.name).find(s=>typeof s=="string")}function vo({change:e,all:n}){let[r,...o]=e.on.split(":"),s=o.join(":"),a=r==="job"?kn(s):yo(e,n),d=e.action.endsWith(".deleted")||!En[r],c=i`<b>${a??s}</b>`;return i`<span class="muted">${K("hit",r)}</span>${" "}
    ${d?c:i`<a href=${En[r](s)}>${c}</a>`}
    ${a&&i`<p class="muted"><code>${s}</code></p>`}`}function ko({query:e}){let[n,r]=mn("changes",e,{actor:"",on:"",action:""}),o=G("/changes",qt(n)),s=Object.entries(go).flatMap(([p,u])=>u.map(b=>`${p}.${b}`)),a=n.action&&!s.includes(n.action)?[n.action]:[],d=[["",t("all")],...[...a,...s].map(p=>[p,Pt(p)])],c=[{name:"actor",label:t("operator"),maxlength:64},{name:"action",label:t("action"),options:d},{name:"on",label:t("changed_item"),placeholder:"sku:lamp",maxlength:120},{name:"from",label:t("from_day"),type:"date"},{name:"to",label:t("to_day"),type:"date"}],l=[[A(t("at")),p=>i`<${U} at=${p.at} />`,"end"],[t("operator"),p=>i`<span title=${p.client_ip}>${p.actor}</span>`],[t("action"),p=>i`<b title=${p.action}>${Pt(p.action)}</b>`,"lead"],[t("changed_item"),p=>i`<${vo} change=${p} all=${o.items} />`,"wide"],[t("difference"),p=>i`<${wo} fields=${dn(p)} />`,"wide"]];return i`<h1>${t("menu_changes")}</h1><p class="muted">${t("changes_help")}</p>
    <${ee} fields=${c} values=${n} change=${r} />
    <${z} list=${o} name=${t("menu_changes")} columns=${l} empty=${$n("changes",qt(n))}
      keyOf=${p=>p.change_id} />`}function wo({fields:e}){if(e.length===0)return"–";if(e.length<=bo)return i`<${Se} fields=${e} />`;let n=t("fields_changed",{count:h(e.length)});return i`<details><summary>${n}</summary><${Se} fields=${e} /></details>`}function xo({id:e}){let[n,r]=v({status:""}),o=G(`${et(e)}/deliveries`,n),[s,a]=v(""),[d,c]=v(),l=[[t("event"),$=>i`<b>${yn($.type)}</b><p class="muted"><code>${$.type}</code> ${$.event_id}</p>`,"lead"],[t("state"),$=>i`<${B} state=${$.status} />
      ${$.next_attempt_at&&i`<p class="muted">${t("next_try")} ${C($.next_attempt_at)}</p>`}`,"end"],[t("attempts"),$=>h($.attempts),"number named"],[t("answer"),$=>i`${$.status_code??""} <span class="bad">${$.error}</span>
      <p class="muted">${$.answer}</p>`,"wide"],[t("duration"),$=>`${h($.duration_ms)} ms`,"number"],[A(t("at")),$=>i`<${U} at=${$.at} />`],["",$=>i`<div class="row actions">
      <button type="button" class="quiet" id="show-${$.delivery_id}" onClick=${()=>a($.delivery_id)}>
        ${t("payload")}</button>
      <${k} label=${t("send_again")} then=${o.reload}
      run=${(f,_)=>g("POST",`/deliveries/${$.delivery_id}/resend`,{key:_})} /></div>`,"tools"]],p=$=>$?new Date($).toISOString():void 0,u=[{name:"from",label:t("from_time"),type:"datetime-local",required:!0},{name:"to",label:t("to_time"),type:"datetime-local"}],b=({from:$,to:f},_)=>g("POST",`${et(e)}/resend`,{key:_,body:{from:p($),to:p(f)}}),m=["","waiting","delivered","failed"].map($=>[$,t($?`state_${$}`:"all")]);return i`<div class="row heading"><h1>${t("deliveries_title",{name:e})}</h1>
      <${k} label=${t("test_event_send")} id="test" run=${($,f)=>g("POST",`${et(e)}/test`,{key:f})}
        then=${c} />
      <${k} label=${t("send_span")} title=${t("send_span")} help=${t("send_span_help")} fields=${u}
        run=${b} then=${o.reload} />
      <a href="#/endpoints">${t("menu_endpoints")}</a></div>
    <${ee} values=${n} change=${r}
      fields=${[{name:"status",label:t("state"),options:m}]} />
    <${z} list=${o} name=${t("deliveries")} columns=${l} empty=${t("deliveries_none")}
      keyOf=${$=>$.delivery_id} />
    ${s&&i`<${So} id=${s} close=${()=>a("")} />`}
    ${d&&i`<${To} result=${d} close=${()=>c()} />`}`}var Oo=e=>{try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}};function So({id:e,close:n}){let{value:r,error:o,reload:s}=N(()=>g("GET",`/deliveries/${e}`));return i`<${W} title=${t("payload")} close=${n}><${T} error=${o} retry=${s} />
    ${!r&&!o&&i`<${j} />`}
    ${r&&!r.event&&i`<p class="muted">${t("payload_gone")}</p>`}
    ${r?.event&&i`<pre class="file" tabindex="0">${JSON.stringify(r.event,null,2)}</pre>`}
    ${r&&i`<${Cn} of=${r} />`}
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function To({result:e,close:n}){return i`<${W} title=${t("test_event")} close=${n}>
    <p class=${ie(e.accepted)} id="tested">${t(e.accepted?"test_accepted":"test_refused")}</p>
    <pre class="file" tabindex="0">${Oo(e.body)}</pre><${Cn} of=${e} />
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function Cn({of:{status_code:e,answer:n,error:r,duration_ms:o}}){return!e&&!r?null:i`<h3>${t("answer")}</h3><p>${e} <span class="bad">${r}</span>
      <span class="muted">${h(o)} ms</span></p>
    ${n&&i`<pre class="file" tabindex="0">${n}</pre>`}`}var Po=["add","take","set"],ot=()=>[{name:"how",label:t("stock_how"),options:Po.map(e=>[e,t(`stock_${e}`)]),initial:"add"},{name:"units",label:t("units"),type:"number",step:1,min:0,required:!0,initial:0,steps:!0}],ge=({how:e,units:n})=>(e==="take"?-1:1)*Number(n||0),st=(e,n)=>n.how==="set"?Number(n.units||0):Math.max(0,e+ge(n));var re=e=>`/activities/${e.activity_id}`,it=e=>["running","upcoming"].includes(ne(e));function oe(e){if(!e)return"";let n=new Date(e);return new Date(n.getTime()-n.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function at(e,n){if(!e)return;let r=new Date(e).toISOString();return n&&r===new Date(oe(n)).toISOString()?n:r}var qo=e=>C(e&&new Date(e)),Ln=e=>n=>oe(new Date(new Date(n).getTime()+e*6e4).toISOString());function Dn({sale:e,then:n}){if(!it(e))return null;let r=(s,a)=>g("PATCH",re(e),{version:a,body:{ends_at:s}}),o={name:"ends_at",label:t("ends_at"),type:"datetime-local",required:!0,initial:oe(e.ends_at),presets:[[t("later_minutes",{n:15}),Ln(15)],[t("later_hours",{n:1}),Ln(60)]]};return i`<${k} route="PATCH /activities/{activity_id}" label=${t("extend")} title=${t("extend")} id="extend"
    fields=${[o]} preview=${({ends_at:s})=>`${C(e.ends_at)} → ${qo(s)}`}
    run=${({ends_at:s},a,d=e.version)=>r(at(s,e.ends_at),d)} then=${n}
    done=${s=>t("done_extended",{sale:e.title,time:C(s.ends_at)})}
    undo=${s=>()=>r(e.ends_at,s.version)} />`}function jn({sale:e,then:n}){let r=L(e),[o,s]=v([]);if(!it(e))return null;let a=_=>o.find(y=>y.point_id===_)?.name??_,d=[...new Set(e.skus.flatMap(_=>_.stock.map(y=>y.point_id)))],c=[{name:"sku_id",label:t("sku"),options:e.skus.map(_=>[_.sku_id,_.sku_id]),initial:e.skus[0].sku_id},{name:"point_id",label:t("point"),options:d.map(_=>[_,a(_)]),initial:d[0]},...ot()],l=({sku_id:_,point_id:y})=>r.current.skus.find(w=>w.sku_id===_)?.stock.find(w=>w.point_id===y)?.quantity??0,p=(_,y)=>t(y,{sku:_.sku_id,before:h(l(_)),after:h(st(l(_),_)),point:a(_.point_id)}),u=(_,y,w)=>g("POST",`${re(e)}/stock`,{key:w,body:{sku_id:_.sku_id,point_id:_.point_id,delta:y}}),b=(_,y,w)=>g("PUT",`${re(e)}/stock`,{version:w,body:{sku_id:_.sku_id,point_id:_.point_id,quantity:y}}),m=(_,y,w=r.current.version)=>_.how==="set"?b(_,Number(_.units),w):u(_,ge(_),y),$=({status:_,delta:y},w)=>_!=="pending"&&y!==0&&(O=>u(w,-y,O)),f=()=>{r.current=e,E("GET /points")&&F("/points").then(s,()=>{})};return i`<${k} route="POST /activities/{activity_id}/stock" label=${t("change_stock")}
    title=${t("change_stock")} help=${t("set_total_help")} id="stock" onOpen=${f} fields=${c} run=${m}
    then=${n} preview=${_=>p(_,"stock_preview")} done=${(_,y)=>p(y,"done_stock")}
    undo=${$} />`}function dt({sale:e,kind:n}){return i`<${k} route="POST /activities/{activity_id}/clone"
    label=${t("clone")} kind=${n} run=${(r,o)=>g("POST",`${re(e)}/clone`,{key:o,body:{}})}
    then=${r=>Ge(`#/edit/${r.activity_id}`)} />`}function Un({sale:e,then:n,opens:r}){if(!it(e))return null;let o=(a,d)=>g("POST",`${re(e)}/pause`,{key:d}),s=(a,d)=>g("POST",`${re(e)}/resume`,{key:d});return e.paused_at?i`<${k} route="POST /activities/{activity_id}/resume" label=${t("resume_sale")} kind="go" id="resume"
      run=${s} done=${t("done_resumed",{sale:e.title})} undo=${()=>a=>o({},a)}
      then=${n} />`:i`<${k} route="POST /activities/{activity_id}/pause"
    label=${t("pause_sale")} title=${t("pause_sale")} help=${t("pause_sale_help")} id="pause" opens=${r}
    run=${o} done=${t("done_paused",{sale:e.title})} undo=${()=>a=>s({},a)}
    then=${n} />`}function ct({sale:e,then:n}){let[r,o]=v();if(!it(e))return null;let s=()=>{o(),g("GET",`${re(e)}/stats`).then(o,()=>o({}))};return i`<${k} route="POST /activities/{activity_id}/offline" label=${t("close_sale")}
    title=${t("close_title",{sale:e.title})} help=${Eo(r)} kind="danger" onOpen=${s}
    id="close" done=${t("done_closed",{sale:e.title})}
    run=${(a,d)=>g("POST",`${re(e)}/offline`,{key:d})} then=${n} />`}function Eo(e){return e?.loaded?`${t("close_sale_help")} ${t("close_sale_affects",{left:h(_e(e)),unpaid:h(e.placed+e.unpaid),waiting:h(e.waiting_room?.waiting??0)})}`:t("close_sale_help")}var Rn=["item","user","ip"],Mn=["title","description","image_url"],Nn=e=>JSON.stringify(e,(n,r)=>typeof r=="number"?String(r):r),Pe=(e,n)=>Nn(e)===Nn(n),lt=e=>e===void 0||e<0?"":e,ut=e=>e===""||e===void 0?-1:Number(e),qe=(e,n)=>n.find(r=>r.sku_id===e)?.currency??"CNY",Ct=(e,n)=>e.currency??qe(e.sku_id,n);function In(e,n){let r=n.find(o=>o.sku_id===e);return Z(r?.price,qe(e,n))}var ae=(e,n)=>(n.find(r=>r.sku_id===e)?.kind??"physical")==="physical";function Ee(e,n,r){if(r==="")return{...e,stock:e.stock.filter(a=>a.point_id!==n)};let o=e.stock.some(a=>a.point_id===n),s={point_id:n,quantity:r};return{...e,stock:o?e.stock.map(a=>a.point_id===n?s:a):[...e.stock,s]}}function pt(e,n){let r=new Set([...e.skus.flatMap(s=>s.stock.map(a=>a.point_id)),...e.points??[]]);r.size===0&&r.add("0");let o=n.map(s=>s.point_id).filter(s=>r.has(s));return[...o,...[...r].filter(s=>!o.includes(s))]}function Lt(e,n){let o=Math.ceil(Date.now()/36e5)*36e5,[s]=e;return{title:"",description:"",image_url:"",shop_id:s?.shop_id??Je()??"",starts_at:oe(o),ends_at:oe(o+36e5),pay_within:15,purchase_limit:"",permit_ratio:"",human_check:"none",paths_per_second:"",segments:"",limit_item:"",limit_user:"",limit_ip:"",points:[],skus:s?[Ce(s,n)]:[]}}function Ce(e,n){let r=n.find(s=>s.point_id==="0")??n[0],o=e.kind==="physical"?r:void 0;return{sku_id:e.sku_id,flash_price:Z(e.price,e.currency),currency:e.currency,purchase_limit:"",stock:[{point_id:o?.point_id??"0",quantity:100}]}}function se(e,n){let r={...Object.fromEntries(Mn.map(o=>[o,e[o]??""])),shop_id:e.shop_id,starts_at:oe(e.starts_at),ends_at:oe(e.ends_at),pay_within:e.pay_within_s/60,purchase_limit:lt(e.purchase_limit),permit_ratio:lt(e.permit_ratio),human_check:e.human_check,paths_per_second:lt(e.waiting_room?.paths_per_second),segments:(e.segments??[]).join(" "),points:[],skus:e.skus.map(o=>({sku_id:o.sku_id,flash_price:Z(o.flash_price,Ct(o,n)),currency:o.currency,purchase_limit:lt(o.purchase_limit),stock:o.stock.map(s=>({...s}))}))};for(let o of Rn){let s=e.limits?.[o];r[`limit_${o}`]=s&&s.requests>=0?`${s.requests}/${s.seconds}`:""}return r}function Co(e){return Object.fromEntries(Rn.map(n=>{let[r,o]=e[`limit_${n}`].split("/").map(Number);return[n,o?{requests:r,seconds:o}:{requests:-1}]}))}var Lo=e=>e.split(/[\s,，、]+/).filter(Boolean),Do=(e,n)=>({...Object.fromEntries(Mn.map(r=>[r,e[r]])),ends_at:at(e.ends_at,n?.ends_at),purchase_limit:ut(e.purchase_limit),permit_ratio:ut(e.permit_ratio),human_check:e.human_check,limits:Co(e),waiting_room:{paths_per_second:ut(e.paths_per_second)},segments:e.segments===void 0?n?.segments??[]:Lo(e.segments)});function jo(e,n,r){try{return{sku_id:e.sku_id,flash_price:J(e.flash_price,Ct(e,n)),purchase_limit:ut(e.purchase_limit)}}catch(o){throw Object.assign(o,{fields:{[`price-${r}`]:o.message}})}}function Le(e,n,r){return{...Do(e,r),...r?.images&&{images:r.images},shop_id:e.shop_id,starts_at:at(e.starts_at,r?.starts_at),pay_within_s:Math.round(Number(e.pay_within)*60),skus:e.skus.map((o,s)=>({...jo(o,n,s),currency:Ct(o,n),stock:o.stock.map(a=>({point_id:a.point_id,quantity:Number(a.quantity)}))}))}}var An={skus:"sku_id",stock:"point_id"};function De(e,n,r){return Object.fromEntries(Object.entries({...r,...n,...r}).map(([o,s])=>An[o]?[o,Uo(An[o],e[o]??[],n[o],s)]:[o,Pe(n[o],e[o])?s:n[o]]))}function Uo(e,n,r,o){let s=(d,c)=>d.find(l=>l[e]===c[e]);return[...o.filter(d=>s(r,d)||!s(n,d)).map(d=>s(r,d)?De(s(n,d)??{},s(r,d),d):d),...r.filter(d=>!s(o,d)&&!Pe(d,s(n,d)))]}var No={pay_within_s:"pay_within","waiting_room.paths_per_second":"paths_per_second",waiting_room:"paths_per_second"},Bn={sku_id:"sku",flash_price:"price",purchase_limit:"limit"},Ao={price:"flash_price",limit:"sku_limit",units:"units",sku:"sku"};function Ro(e,n,r,o){let s=/^limits\.(item|user|ip)/.exec(e);if(s)return`limit_${s[1]}`;if(e.startsWith("segments["))return"segments";let[,a,d]=/^skus\[(\d+)\]\.?(.*)$/.exec(e)??[];if(a===void 0)return No[e]??(e in r?e:void 0);let c=n.skus?.[Number(a)],l=r.skus.findIndex(b=>b.sku_id===c?.sku_id);if(l<0)return;if(Bn[d])return`${Bn[d]}-${l}`;let[,p]=/^stock\[(\d+)\]/.exec(d)??[],u=p===void 0?0:o.indexOf(c.stock[Number(p)].point_id);return`units-${l}-${Math.max(0,u)}`}function Gn(e,n,r,o){let s={fields:{},rest:[]};for(let{field:a,detail:d}of e?.problem?.errors??[]){let c=Ro(a,n??{},r,o);c&&!s.fields[c]?s.fields[c]=un(d):c||s.rest.push({field:a,detail:d})}for(let[a,d]of Object.entries(e?.fields??{}))s.fields[a]=d;return s}function Mo(e,n){let[,r,o]=/^(sku|price|limit|units)-(\d+)/.exec(e)??[];return r?`${n.skus[Number(o)]?.sku_id}: ${t(Ao[r])}`:t(e)}function Fn({error:e,wrong:n,form:r,mine:o,theirs:s,apart:a}){let d=Object.keys(n.fields);if(d.length===0)return i`<${ln} ...${{error:e,mine:o,theirs:s,apart:a}} />`;let c=l=>()=>document.querySelector(`.edit [name="${l}"]`)?.focus();return i`<div class="problem" role="alert" id="wrong"><p>${t("edit_wrong")}</p>
    <div class="row">${d.map(l=>i`<button type="button" class="quiet" onClick=${c(l)}>${Mo(l,r)}</button>`)}</div>
    ${n.rest.map(l=>i`<p class="muted"><code>${l.field}</code> ${l.detail}</p>`)}</div>`}var zn=e=>JSON.stringify(e);function Dt(e,n=""){return Object.entries(e).filter(([,r])=>r!==void 0).flatMap(([r,o])=>Array.isArray(o)?o.length===0?[`${n}${r}: []`]:[`${n}${r}:`,...o.flatMap(s=>Io(s,n))]:typeof o=="object"?[`${n}${r}:`,...Dt(o,`${n}  `)]:[`${n}${r}: ${zn(o)}`])}function Io(e,n){if(typeof e!="object")return[`${n}  - ${zn(e)}`];let[r,...o]=Dt(e,`${n}    `);return[`${n}  - ${r.trim()}`,...o]}function Bo(e,n,r,o){let s=o?.state==="offline"?void 0:o?.state??"draft";return`${Dt({activity_id:e,state:s,...Le(n,r,o)}).join(`
`)}
`}function Jn({id:e,form:n,skus:r,sale:o}){let[s,a]=v({}),d=()=>{try{a({text:Bo(e,n,r,o)})}catch(p){a({error:p})}},c=()=>a({}),l=async()=>a({...s,copied:await Xe(s.text)});return i`<button type="button" class="quiet" id="file" onClick=${d}>${t("sale_file")}</button>
    ${(s.text||s.error)&&i`<${W} title=${t("sale_file")} close=${c}>
      <p class="muted">${t("sale_file_help")} <code>onrush activities apply -f ${e}.yaml</code></p>
      <${T} error=${s.error} />
      ${s.text&&i`<pre class="file" tabindex="0">${s.text}</pre>`}
      <p role="status" id="file-copy">${s.copied===!1&&t("copy_failed")}</p>
      <div class="row">
        ${s.text&&i`<button type="button" class="go" onClick=${l}>${t(s.copied?"copied":"copy")}</button>
          <a class="button" download="${e}.yaml"
            href=${`data:text/yaml;charset=utf-8,${encodeURIComponent(s.text)}`}>${t("download_file")}</a>`}
        <button type="button" class="quiet" onClick=${c}>${t("close")}</button></div><//>`}`}var jt=e=>Me(`onrush.sale.${e??Te("","new")}`);function Wn(e){try{return JSON.parse(localStorage.getItem(jt(e)))??void 0}catch{return}}function Hn(e,n){try{return localStorage.setItem(jt(e),JSON.stringify(n)),!0}catch{return!1}}var je=e=>localStorage.removeItem(jt(e));function Kn(e){let[n,r]=v(""),o=L(!1);return P(()=>{if(!e)return;let a=l=>l.preventDefault(),d=l=>{let p=l.target.closest?.('a[href^="#/"]');!p||l.ctrlKey||l.metaKey||l.shiftKey||(l.preventDefault(),r(p.hash))},c=l=>{o.current||(l.preventDefault(),r(l.detail))};return addEventListener("beforeunload",a),document.addEventListener("click",d,!0),addEventListener(St,c),()=>{removeEventListener("beforeunload",a),document.removeEventListener("click",d,!0),removeEventListener(St,c)}},[e]),{target:n,stay:()=>r(""),go:a=>{o.current=!0,location.hash=a}}}function Vn({target:e,stay:n,go:r,discard:o}){return e?i`<${W} title=${t("leave_title")} close=${n}>
    <p class="muted">${t("leave_help")}</p>
    <div class="row">
      <button type="button" class="go" id="stay" onClick=${n}>${t("leave_stay")}</button>
      <button type="button" class="quiet" id="leave" onClick=${()=>r(e)}>${t("leave_keep")}</button>
      <button type="button" class="danger" id="leave-discard" onClick=${()=>{o(),r(e)}}>${t("leave_discard")}</button></div><//>`:null}function Qn({plan:e,apply:n,close:r}){return i`<${W} title=${t("edit_plan")} close=${r}>
    <${Se} fields=${e.differences} />
    <div class="row"><button type="button" class="go" id="apply" onClick=${n}>${t("save")}</button>
      <button type="button" class="quiet" onClick=${r}>${t("cancel")}</button></div><//>`}var Ut=e=>/[*_`~#\\[<]|^[ \t]*([-+]|\d+[.)])[ \t]/m.test(e);function mt({text:e,kind:n=""}){let[{draw:r},o]=v({draw:void 0}),s=Ut(e);P(()=>{s&&!r&&import("./markdown-FRTYSIY7.js").then(o,()=>{})},[s]);let a=s&&r?.(e,i);return a?i`<div class="description formatted ${n}">${a}</div>`:i`<p class="description ${n}">${e}</p>`}function Yn({form:e,skus:n}){let[r,o]=v(!1);return i`<button type="button" class="quiet" id="preview" onClick=${()=>o(!0)}>${t("preview")}</button>
    ${r&&i`<${W} title=${t("preview")} close=${()=>o(!1)}>
      <p class="muted">${t("preview_help")}</p>
      <article class="card preview">
        <${$e} url=${e.image_url} title=${e.title||"?"} tone=${ze(e.title)} />
        <p><span class="badge upcoming">${t("preview_starts",{time:C(e.starts_at)})}</span></p>
        <h3>${e.title||t("preview_untitled")}</h3>
        ${e.description&&i`<${mt} text=${e.description} />`}
        <p class="tags">
          ${Number(e.purchase_limit)>0&&i`<span>${t("preview_limit",{limit:e.purchase_limit})}</span>`}
          ${Number(e.paths_per_second)>0&&i`<span>${t("room")}</span>`}
          ${e.human_check!=="none"&&i`<span>${t("human_check")}</span>`}
          ${e.segments&&i`<span>${t("preview_segments")}</span>`}
          <span>${t("preview_pay",{minutes:e.pay_within})}</span></p>
        <ul class="list">${e.skus.map(s=>i`<li><${Go} sku=${s} skus=${n} /></li>`)}
        </ul></article>
      <button type="button" class="go" onClick=${()=>o(!1)}>${t("close")}</button><//>`}`}function Go({sku:e,skus:n}){let r=n.find(s=>s.sku_id===e.sku_id),o=e.stock.reduce((s,a)=>s+(Number(a.quantity)||0),0);return i`<div class="sku"><span class="name">${r?.title??e.sku_id}</span>
    <${Fo} sku=${e} goods=${r} />
    <span class="muted">${t("preview_units",{units:o})}
      ${Number(e.purchase_limit)>0&&i` · ${t("preview_limit",{limit:e.purchase_limit})}`}</span></div>`}function Fo({sku:e,goods:n}){let r;try{r=J(e.flash_price,e.currency??n?.currency)}catch{r=void 0}if(!n||r===void 0)return i`<span class="price">–</span>`;let o=e.currency??n.currency,s=o===n.currency&&r<n.price;return i`<span class="price">${D(r,o)}
    ${s&&i`<s>${D(n.price,n.currency)}</s>`}</span>`}var Zn=e=>e.replace(/\r?\n$/,"").split(/\r?\n/).map(n=>n.split("	").map(r=>r.trim()));function zo(e){if(e==="")return"";let n=e.replace(/^[^\d.,-]+|[^\d.,]+$/g,"").replace(/\s/g,"");return/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(n)&&(n=n.replaceAll(",","")),n=n.replace(/^(\d+),(\d+)$/,"$1.$2"),/^\d+(\.\d+)?$/.test(n)?n:void 0}var de=Te("","price"),ce=Te("","limit"),Ue=(e,n)=>e.toLowerCase()===n.toLowerCase(),Xn=(e,n,r,o)=>e.find(s=>s[n]===o)??e.find(s=>Ue(s[n],o)||Ue(s[r],o)),Nt=(e="",n)=>Xn(n,"sku_id","title",e);function Jo(e,n){return["flash_price","price",t("flash_price")].some(r=>Ue(r,e))?de:["purchase_limit","limit",t("sku_limit")].some(r=>Ue(r,e))?ce:Ue(t("units"),e)?"0":Xn(n,"point_id","name",e)?.point_id}function Wo(e,n,r,{skus:o,points:s}){let a=Nt(e[0][0],o)?e:e.slice(1);if(a.length>0&&e[0].length>1&&a.every(([d])=>Nt(d,o))){let d=a===e?r:e[0].slice(1).map(c=>Jo(c,s));return a.map(([c,...l])=>({id:Nt(c,o).sku_id,cells:l,columns:d}))}return e.map((d,c)=>({row:n.row+c,cells:d,columns:r.slice(Math.max(0,n.column))}))}function Ho(e,n,r,{skus:o,draft:s,started:a}){let d=zo(r);if(!(d===void 0||n===void 0))return n===ce?{...e,purchase_limit:d}:n===de?a||d===""?void 0:{...e,flash_price:d}:!s||n!=="0"&&!ae(e.sku_id,o)?d===""?e:void 0:Ee(e,n,d)}function er(e,n,r,o,s){let a=[...e.skus],d={filled:0,skipped:0};for(let c of Wo(n,r,o,s)){let l=c.row??a.findIndex(p=>p.sku_id===c.id);if(l<0&&s.draft){let p=s.skus.find(u=>u.sku_id===c.id);l=a.push({...Ce(p,s.points),stock:[]})-1}c.cells.forEach((p,u)=>{let b=a[l]&&Ho(a[l],c.columns[u],p,s);b&&(a[l]=b),d[b?"filled":"skipped"]+=1})}return{form:{...e,skus:a},...d}}function tr(e,n,r){let o=n.map(d=>d===de?"flash_price":d===ce?"purchase_limit":r.find(c=>c.point_id===d)?.point_id??d),s=(d,c)=>c===de?d.flash_price:c===ce?d.purchase_limit:d.stock.find(l=>l.point_id===c)?.quantity??"",a=e.skus.map(d=>[d.sku_id,...n.map(c=>s(d,c))]);return[["sku_id",...o],...a].map(d=>d.join("	")).join(`
`)}var Ko=(e,n)=>n.find(r=>r.sku_id===e)?.title??e;function rr({form:e,change:n,skus:r,points:o,draft:s,started:a,wrong:d}){let[c,l]=v(),p=pt(e,o),u=ke(()=>p,[p.join()]),b=r.filter(O=>!e.skus.some(x=>x.sku_id===O.sku_id)),m=e.skus.map(O=>O.sku_id).join(),$=(O,x)=>n(S=>({skus:S.skus.map((q,V)=>V===O?{...q,...x(q)}:q)})),f=()=>n({skus:[...e.skus,Ce(b[0],o)]}),_=O=>n(x=>({skus:x.skus.filter((S,q)=>q!==O)})),y=O=>{let[,x,S,q="0"]=/^(sku|price|limit|units)-(\d+)(?:-(\d+))?$/.exec(O.target.name)??[],V=Zn(O.clipboardData.getData("text/plain"));if(!x||V.flat().length<2)return;O.preventDefault();let ue={sku:-1,price:0,limit:1,units:2+Number(q)}[x],ve={skus:r,points:o,draft:s,started:a},pe=er(e,V,{row:Number(S),column:ue},[de,ce,...u],ve);l({...pe,before:e}),n(pe.form)},w=()=>{n(c.before),l()};return i`<section class="card"><h2>${t("edit_skus")}</h2>
    ${r.length===0&&i`<p class="empty">${t("edit_no_skus")} <a href="#/goods">${t("menu_goods")}</a></p>`}
    <p class="muted">${t("edit_paste_help")}</p>
    ${e.skus.length>0&&i`<${Yo} ...${{form:e,set:$,remove:_,columns:u,skus:r,points:o,draft:s,started:a}}
      used=${m} wrong=${d} take=${y} />`}
    <div aria-live="polite">${c&&i`<p class="notice" id="pasted">
      ${t("pasted",{filled:h(c.filled)})}
      ${c.skipped>0&&i` ${t("pasted_skipped",{skipped:h(c.skipped)})}`}${" "}
      <button type="button" class="quiet" onClick=${w}>${t("undo")}</button></p>`}</div>
    <div class="row">
      ${s&&b.length>0&&i`<button type="button" class="quiet" id="add-sku" onClick=${f}>
        ${t("add_sku")}</button>`}
      ${s&&i`<${Qo} form=${e} change=${n} columns=${u} points=${o} skus=${r} />`}
      <${Vo} text=${()=>tr(e,[de,ce,...u],o)} /></div></section>`}function Vo({text:e}){let[n,r]=v();return i`<button type="button" class="quiet" id="copy-table" onClick=${async()=>r(await Xe(e())?!0:{text:e()})}>
      ${t(n===!0?"copied":"copy_table")}</button>
    <div role="status" id="copy-failed">${n?.text&&i`<p>${t("copy_failed")}</p>
        <textarea readonly rows="4" aria-label=${t("copy_table")} value=${n.text}
          onFocus=${s=>s.target.select()}></textarea>`}</div>`}function Qo({form:e,change:n,columns:r,points:o,skus:s}){let a=o.filter(l=>!r.includes(l.point_id));if(a.length===0||!e.skus.some(l=>ae(l.sku_id,s)))return null;let d=l=>n({points:[...e.points??[],l.target.value]}),c=[["",t("add_point")],...a.map(l=>[l.point_id,l.name])];return i`<label class="inline"><span class="hidden">${t("add_point")}</span>
    <${Tt} name="add-point" value="" options=${c} onChange=${d} /></label>`}function Yo({form:e,set:n,remove:r,columns:o,skus:s,points:a,draft:d,started:c,used:l,wrong:p,take:u}){let b=e.skus.some($=>ae($.sku_id,s)),m=$=>b?a.find(f=>f.point_id===$)?.name??$:t("units");return i`<div class="table grid" tabindex="0" role="region" aria-label=${t("edit_skus")}><table onPaste=${u}>
    <thead><tr><th scope="col">${t("sku")}</th>
      <th scope="col">${t("flash_price")}${c&&i`<${nr} why=${t("locked_started")} />`}</th>
      <th scope="col">${t("sku_limit")}
        ${c&&i`<span class="muted">${t("only_raised")}</span>`}</th>
      ${o.map($=>i`<th scope="col">${m($)}
        ${b&&i`<span class="muted">${t("units")}</span>`}
        ${!d&&i`<${nr} why=${t("edit_stock_live")} />`}</th>`)}
      ${d&&i`<th><span class="hidden">${t("remove_sku")}</span></th>`}</tr></thead>
    <tbody>${e.skus.map(($,f)=>i`
      <${At} key=${f} ...${{sku:$,i:f,set:n,remove:r,columns:o,skus:s,draft:d,started:c,used:l,wrong:p,nameOf:m}}
        only=${e.skus.length===1} delivered=${b} />`)}</tbody></table></div>
    ${!d&&i`<p class="muted locked"><${Fe} name="lock" /> ${t("edit_stock_live")}</p>`}
    ${c&&i`<p class="muted locked"><${Fe} name="lock" /> ${t("locked_started_price")}</p>`}`}function nr({why:e}){return i` <span class="lock" title=${e}><${Fe} name="lock" /><span class="hidden">${e}</span></span>`}var Zo=["sku","i","columns","used","draft","started","wrong","only","delivered"],At=class extends Ae{shouldComponentUpdate(n){return Zo.some(r=>n[r]!==this.props[r])}render({sku:n,i:r,set:o,remove:s,columns:a,skus:d,draft:c,started:l,used:p,wrong:u,only:b,nameOf:m}){let $=Ko(n.sku_id,d),f=p.split(","),y=d.filter(x=>x.sku_id===n.sku_id||!f.includes(x.sku_id)).map(x=>[x.sku_id,x.title]);y.some(([x])=>x===n.sku_id)||y.unshift([n.sku_id,n.sku_id]);let w=x=>{let S=x.target.value,q=ae(S,d)?void 0:Ee({stock:[]},"0",es(n));o(r,()=>({sku_id:S,flash_price:In(S,d),currency:qe(S,d),...q}))},O=(x,S,q,V,ue)=>i`<td data-name=${S}>
      <${Xo} name=${x} label=${`${$}: ${S}`} value=${q} error=${u[x]}
        onInput=${ve=>o(r,pe=>V(pe,ve.target.value))} ...${ue} /></td>`;return i`<tr>
      <td data-name=${t("sku")}><${Tt} name="sku-${r}" aria-label=${t("sku")} value=${n.sku_id}
          disabled=${!c} options=${y} onChange=${w} aria-invalid=${!!u[`sku-${r}`]}
          aria-describedby=${u[`sku-${r}`]&&`wrong-sku-${r}`} />
        ${u[`sku-${r}`]&&i`<p class="bad" id="wrong-sku-${r}">${u[`sku-${r}`]}</p>`}
        <p class="muted">${ts(n.sku_id,d)}</p></td>
      ${O(`price-${r}`,t("flash_price"),n.flash_price,(x,S)=>({flash_price:S}),{required:!0,disabled:l})}
      ${O(`limit-${r}`,t("sku_limit"),n.purchase_limit,(x,S)=>({purchase_limit:S}),{min:1,placeholder:t("no_limit")})}
      ${a.map((x,S)=>x!=="0"&&!ae(n.sku_id,d)?i`<td data-name=${m(x)} class="none" title=${t("not_delivered")}>
              <span aria-hidden="true">–</span><span class="hidden">${t("not_delivered")}</span></td>`:O(`units-${r}-${S}`,m(x),n.stock.find(q=>q.point_id===x)?.quantity??"",(q,V)=>Ee(q,x,V),{disabled:!c,required:n.stock.length===0}))}
      ${c&&i`<td><button type="button" class="quiet square" disabled=${b}
          title=${b?t("remove_sku_last"):t("remove_sku")} aria-label=${`${$}: ${t("remove_sku")}`}
          onClick=${()=>s(r)}>×</button></td>`}</tr>`}};function Xo({name:e,label:n,error:r,...o}){return i`<input name=${e} type="number" min="0" step="any" aria-label=${n} onKeyDown=${a=>{if(a.key!=="Enter")return;a.preventDefault();let d=e.replace(/-(\d+)/,(c,l)=>`-${Number(l)+1}`);document.querySelector(`.edit [name="${d}"]`)?.select()}}
      aria-invalid=${!!r} aria-describedby=${r&&`wrong-${e}`} ...${o} />
    ${r&&i`<p class="bad" id="wrong-${e}">${r}</p>`}`}var es=e=>e.stock.reduce((n,r)=>n+Number(r.quantity),0);function ts(e,n){let r=n.find(o=>o.sku_id===e);return r?t("list_price_is",{price:D(r.price,qe(e,n))}):""}var ns=e=>new Promise(n=>{let r=new Image;r.onload=()=>n(!0),r.onerror=()=>n(!1),r.src=e});function rs(e){let[n,r]=v([]);return P(()=>{let o=!0,s=[...new Set(e.filter(Boolean))];return Promise.all(s.map(ns)).then(a=>{let c=s.filter((l,p)=>!a[p]).map(l=>({check:"pictures",level:"warning",detail:l}));o&&r(c.length>0?c:[{check:"pictures",level:"ok"}])}),()=>{o=!1}},[e.join(" ")]),n}function or({checks:e,pictures:n,publish:r,then:o}){let s=pn(e),a=[...e,...rs(n)],d=a.some(l=>l.level==="failure"),c=l=>{let p=`check_${l.check}_${l.level}`,u=["limits","prices","stock","times"].includes(l.check)||l.level==="ok";return i`${we(p)?t(p,{sku:l.sku_id??"",point:l.point_id??""}):l.detail}
      ${we(p)&&!u&&i`<span class="muted">${l.detail}</span>`}`};return i`<section class="card checks" id="checks" ref=${s} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t("checks")}</h2>
    <ul>${a.map(l=>i`<li class=${l.level}>
      <span class="level">${t(`level_${l.level}`)}</span> ${c(l)}</li>`)}</ul>
    ${d?i`<p class="bad">${t("checks_failed")}</p>`:i`<${k} route="POST /activities/{activity_id}/publish" label=${t("publish")} kind="go large"
            id="publish" run=${r} then=${o} />`}</section>`}var sr=["image/jpeg","image/png","image/webp"],os=1<<20;function ss({type:e,size:n}){return sr.includes(e)?n>os?t("upload_large"):void 0:t("upload_kind")}function $t({value:e}){let n=L(),r=L(),o=L(0),[s,a]=v(e??""),[d,c]=v(!1),[l,p]=v({}),u=()=>n.current.closest(".field").querySelector("input");if(P(()=>{let y=u(),w=()=>a(y.value);return w(),y.addEventListener("input",w),()=>y.removeEventListener("input",w)},[]),!E("POST /pictures"))return i`<div ref=${n} hidden></div>`;let b=async y=>{if(!y)return;let w=++o.current,O=ss(y);if(p(O?{wrong:O}:{busy:y.name}),!O)try{let x=u().form?.elements.shop_id?.value,S=await Xt(`/pictures${x?`?shop_id=${encodeURIComponent(x)}`:""}`,y);if(w!==o.current||!n.current)return;let q=u();q.value=S.image_url,q.dispatchEvent(new Event("input",{bubbles:!0})),p({done:y.name})}catch(x){w===o.current&&p({wrong:Vt(x)})}},m=y=>{b(y.currentTarget.files[0]),y.currentTarget.value=""},$=y=>w=>{w.preventDefault(),c(y)},f=y=>{$(!1)(y),b(y.dataTransfer.files[0])},_=e??s;return i`<div ref=${n} class="upload ${d?"over":""}" onDragOver=${$(!0)} onDragLeave=${$(!1)}
      onDrop=${f}>
    ${_&&i`<span class="thumb"><${$e} url=${_} title="?" /></span>`}
    <input ref=${r} type="file" hidden accept=${sr.join()} onChange=${m} />
    <button type="button" class="quiet" aria-disabled=${l.busy?"true":void 0}
      onClick=${()=>l.busy||r.current.click()}>${t("upload")}</button>
    <span class="muted">${t("upload_help")}</span>
    <p role="status">${l.busy&&t("uploading",{file:l.busy})}
      ${l.done&&t("uploaded",{file:l.done})}</p>
    ${l.wrong&&i`<p class="bad" role="alert">${l.wrong}</p>`}</div>`}function is({id:e}){let{value:n,error:r,reload:o}=N(async()=>{let[s,a,d,c]=await Promise.all([e?g("GET",`/activities/${encodeURIComponent(e)}`):void 0,e?F("/skus",{activity_id:e}):[],F("/skus"),F("/points")]),l=new Map([...a,...d].map(p=>[p.sku_id,p]));return{sale:s,skus:[...l.values()],points:c}});return n?i`<${cs} ...${n} />`:r?i`<${T} error=${r} retry=${o} />`:i`<${j} />`}function as(e,n,r){let o=ke(()=>Wn(e?.activity_id),[]),[s,a]=v(()=>e?.activity_id??o?.id??Oe()),[d,c]=v(()=>e?se(e,n):o?.base??Lt(n,r)),[l,p]=v(()=>o?De(o.base,o.form,d):d),[u,b]=v(!0),[m,$]=v(o?.at),[f,_]=v(!e),y=!Pe(l,d);P(()=>{let S=f?void 0:s;y?b(Hn(S,{form:l,base:d,id:s,at:new Date().toISOString()})):je(S)},[l,d,s]);let w=()=>a(Oe());return{id:s,base:d,setBase:c,form:l,setForm:p,unsaved:y,isKept:u,saved:S=>{f&&je(void 0),_(!1),$(),c(se(S,n)),p(q=>De(l,q,se(S,n)))},discard:()=>{let S=f?Lt(n,r):d;$(),c(S),p(S),f&&w()},renew:w,restored:y&&m}}async function ds(e,n,r){try{return await g("PUT",e,{body:n,create:!0})}catch(o){if(!cn(o))throw o;let s=await g("GET",e);if(s.state==="draft"&&Pe(Le(se(s,r),r,s),n))return s;throw o}}function cs({sale:e,skus:n,points:r}){let[o,s]=v(e),a=as(e,n,r),{id:d,base:c,setBase:l,form:p,setForm:u,unsaved:b,isKept:m,saved:$,restored:f}=a,[_,y]=v({}),w=Kn(b),O=!o||o.state==="draft",x=!O&&ne(o)!=="upcoming",S=Q=>{u(M=>({...M,...typeof Q=="function"?Q(M):Q})),y(M=>M.busy?M:{})},q=`/activities/${d}`,V=Q=>async()=>{try{let M=await g("GET",q);s(M),l(se(M,n)),u(Q?De(o?c:{},p,se(M,n)):se(M,n)),y({})}catch(M){y({error:M})}},ue=Q=>async M=>{M?.preventDefault(),y({busy:!0});let Y;try{if(Y=Le(p,n,o),!O){let Ot=await g("PUT",`${q}/file?dry_run=true`,{version:o.version,body:Y});Ot.differences.length===0&&$(o),y(Ot.differences.length===0?{saved:!0}:{plan:Ot,body:Y});return}let me=await(o?g("PUT",q,{version:o.version,body:Y}):ds(q,Y,n));s(me),$(me),o||history.replaceState(null,"",`#/edit/${me.activity_id}`),y(await Q(me))}catch(me){y({error:me,body:Y})}},ve=async({plan:Q,body:M})=>{y({busy:!0});try{await g("PUT",`${q}/file`,{version:Q.version,body:M});let Y=await g("GET",q);s(Y),$(Y),y({saved:!0})}catch(Y){y({error:Y,body:M})}},pe=()=>{a.renew(),y({})},uo=async Q=>({checks:(await g("GET",`/activities/${Q.activity_id}/checks`)).items}),xt=ke(()=>Gn(_.error,_.body,p,pt(p,r)),[_.error]);return P(()=>{_.error&&document.querySelector(".edit [aria-invalid=true]")?.focus()},[_.error]),i`<${fs} sale=${o} draft=${O} path=${q} closed=${s}
      gone=${()=>w.go("#/sales")} />
    ${!O&&i`<p class="notice">${t("edit_published")}</p>`}
    ${f&&i`<p class="notice" id="restored">${t("edit_restored",{time:C(f)})}${" "}
      <button type="button" class="quiet" onClick=${a.discard}>${t("edit_discard")}</button></p>`}
    <form class="edit" onSubmit=${ue(async()=>({saved:!0}))}>
      <${ls} form=${p} change=${S} wrong=${xt.fields} draft=${O} started=${x}>
        <${rr} form=${p} change=${S} skus=${n} points=${r} draft=${O} started=${x}
          wrong=${xt.fields} /><//>
      ${!x&&i`<${vn} id=${d} form=${p} />`}
      <${Fn} error=${_.error} wrong=${xt} form=${p} mine=${V(!0)} theirs=${V(!1)}
        apart=${!o&&pe} />
      <div class="bar-row row"><${_s} draft=${O} busy=${_.busy} check=${ue(uo)} />
        <${Yn} form=${p} skus=${n} /><${Jn} id=${d} form=${p} skus=${n} sale=${o} />
        <${us} saved=${_.saved} unsaved=${b} isKept=${m} /></div>
      ${_.checks&&i`<${or} checks=${_.checks} pictures=${ps(o,n)} publish=${()=>ms(o)}
        then=${$s} />`}
    </form>
    ${_.plan&&i`<${Qn} plan=${_.plan} apply=${()=>ve(_)} close=${()=>y({})} />`}
    <${Vn} ...${w} discard=${()=>je(o?.activity_id)} />`}function ls({form:e,change:n,wrong:r,draft:o,started:s,children:a}){let d=$=>({name:$,value:e[$],onInput:f=>n({[$]:f.target.value})}),c=($,f)=>i`<${Qe} label=${t($)} error=${r[$]} ...${d($)} ...${f} />`,l={options:["none","pow","captcha"].map($=>[$,t(`human_${$}`)]),onChange:$=>n({human_check:$.target.value})},p={placeholder:"10/1",pattern:"[1-9]\\d*/[1-9]\\d*",help:t("limit_form")},u=$=>{let f=new Date(e[$]);if(!Number.isNaN(f.getTime()))return f<new Date?t("time_past",{time:C(f)}):C(f)},b=s?t("locked_started"):void 0,m=o?void 0:t("locked_published");return i`<section class="card"><h2>${t("edit_what")}</h2>
      ${c("title",{required:!0,maxlength:200})}
      ${c("description",{type:"textarea",maxlength:5e3,help:t("description_help")})}
      <div class="columns">
        ${c("image_url",{inputmode:"url",maxlength:500,below:$t})}
        ${c("shop_id",{required:!0,...te,locked:m})}</div></section>
    <section class="card"><h2>${t("edit_when")}</h2><div class="columns">
      ${c("starts_at",{type:"datetime-local",required:!0,locked:b,help:u("starts_at")})}
      ${c("ends_at",{type:"datetime-local",required:!0,help:u("ends_at")})}
      ${c("pay_within",{type:"number",min:1/60,required:!0,locked:m,help:t("pay_within_help")})}</div></section>
    ${a}
    <section class="card"><h2>${t("edit_gates")}</h2><p class="muted">${t("edit_gates_help")}</p><div class="columns">
      ${c("purchase_limit",{type:"number",min:1,help:t(s?"only_raised":"none_if_empty")})}
      ${c("permit_ratio",{type:"number",min:1,max:100,help:t("permit_ratio_help")})}
      ${c("human_check",l)}
      ${c("paths_per_second",{type:"number",min:.01,help:t("waiting_room_help")})}
      ${["item","user","ip"].map($=>c(`limit_${$}`,p))}
      ${c("segments",{help:t("segments_help"),maxlength:600})}</div></section>`}function us({saved:e,unsaved:n,isKept:r}){return i`<div class="saved" aria-live="polite">
    ${e&&!n&&i`<p class="good" id="saved">${t("saved")}</p>`}
    ${n&&i`<p class="muted" id="unsaved">${t(r?"unsaved":"unsaved_not_kept")}</p>`}</div>`}var ps=(e,n)=>[e.image_url,...e.skus.map(r=>n.find(o=>o.sku_id===r.sku_id)?.image_url)],ms=e=>g("POST",`/activities/${e.activity_id}/publish`,{version:e.version}),$s=e=>{location.hash=`#/live/${e.activity_id}`};function fs({sale:e,draft:n,path:r,closed:o,gone:s}){if(!e)return i`<div class="row heading"><h1>${t("new_sale")}</h1></div>`;let a=(d,c,l=e.version)=>g("DELETE",r,{version:l});return i`<div class="row heading"><h1>${e.title}</h1><${be} sale=${e} />
      ${!n&&i`<a class="button" href="#/live/${e.activity_id}">${t("show_live")}</a>`}
      <${dt} sale=${e} /><${ct} sale=${e} then=${o} />
      ${n&&i`<${k} route="DELETE /activities/{activity_id}" label=${t("delete")}
          title=${t("delete_title",{name:e.title})} kind="danger"
        help=${t("delete_draft_help")}
        run=${a} then=${()=>{je(e.activity_id),s()}} />`}</div>`}function _s({draft:e,busy:n,check:r}){return i`<button class=${e?"quiet":"go"} id="save" disabled=${n}>
      ${t(e?"save_draft":"save")}</button>
    ${e&&i`<button type="button" class="go" id="check" disabled=${n}
      onClick=${o=>o.target.form.reportValidity()&&r()}>${t("check_and_publish")}</button>`}`}var hs=/^[!-~]{1,64}$/,bs=/^"((?:[^"]|"")*)"$/,gs=/^="((?:[^"]|"")*)"$/,ys=/^([+-]?\d([.,]\d+)?E[+-]\d+|#(N\/A|NV|NAME|\S*[!?]|#+))$/i,ye="(0?[1-9]|[12]\\d|3[01])",Rt="(0?[1-9]|1[0-2])",ft="(\\d{2}|[12]\\d{3})",ir="([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)",vs=[`${ye}\\.${Rt}\\.${ft}`,`${ye}/${ye}/${ft}`,`[12]\\d{3}-${Rt}-${ye}`,`[12]\\d{3}/${Rt}/${ye}`,`${ir}-${ft}`,`${ye}-${ir}(-${ft})?`],ks=new RegExp(`^(${vs.join("|")})$`),ws=/(code|voucher|coupon|key|pin|serial|number)s?$/i,ar=e=>/\d/.test(e),dr=(e,n)=>e.exec(n)?.[1].replaceAll('""','"').trim();function xs(e){let n=dr(bs,e),r=dr(gs,n??e);return r!==void 0?r:n===void 0&&/^=?"|[,;\t]/.test(e)?"":(n??e).replace(/^'/,"").trim()}function Os(e){return e.length===0||ar(e[0])?!1:ws.test(e[0])||e.length>1&&e.slice(1).every(ar)}function Mt(e="",n=!0){let r={codes:[],wrong:[]},o=0;return e.split(`
`).forEach((s,a)=>{if(!s.trim())return;let d=xs(s.trim()),c=n&&(ys.test(d)||ks.test(d));if(!hs.test(d)||c)return r.wrong.push(a+1);o||=a+1,r.codes.push(d)}),n&&Os(r.codes)&&r.wrong.unshift(o),r}var cr=1e4,It=1e5,lr=5,Ss=e=>t("codes_refused",{count:h(e.length),lines:e.slice(0,lr).join(", ")+(e.length>lr?" …":"")}),ur=()=>t("codes_most",{most:h(It)});function pr({codes:e},n){let r=Mt(e,n),o=t("codes_counted",{codes:h(r.codes.length)});return i`${o}${r.wrong.length>0&&i`<br />${Ss(r.wrong)}`}`}async function Ts({target:e}){let[n]=e.files;if(e.setCustomValidity(n?.size>It*66?ur():""),!n||!e.reportValidity())return;let{codes:r}=e.form.elements;r.value=await n.text(),r.dispatchEvent(new Event("input",{bubbles:!0}))}function mr(e,n){let{codes:r,wrong:o}=Mt(e,n);if(o.length)throw new Error(t("codes_nothing"));if(r.length>It)throw new Error(ur());return r}function $r(e,n){let r=L({text:"",key:""});return async(o,s={})=>{let a=JSON.stringify([o,s]);r.current.text!==a&&(r.current={text:a,key:Oe()});let d=[];for(let c=0;c===0||c<o.length;c+=cr){let l={...s,codes:o.slice(c,c+cr)},p=`/skus/${encodeURIComponent(e.sku_id)}/vouchers:${n}`;d.push(await g("POST",p,{key:`${r.current.key}-${c}`,body:l}))}return r.current={text:"",key:""},d}}var fr=({done:e,sku:n,...r})=>t(`codes_${e}`,{sku:n,...Object.fromEntries(Object.entries(r).map(([o,s])=>[o,h(s)]))}),_r=e=>[{name:"codes",label:t("codes"),type:"textarea",rows:8,required:e,spellcheck:!1},{name:"file",label:t("codes_file"),type:"file",accept:".txt,.csv,text/plain",onChange:Ts}];function hr({sku:e,then:n}){let r=$r(e,"import"),o=async({codes:s})=>{let a={imported:0,known:0,repeated:0};for(let{accepted:d,skipped:c}of await r(mr(s,!0))){a.imported+=d;for(let{reason:l}of c)a[l]+=1}return{done:"imported",sku:e.sku_id,...a}};return i`<${k} route="POST /skus/{sku_id}/vouchers:import" id="import-${e.sku_id}"
    label=${t("import_codes")} title=${t("import_codes_title",{name:e.title})} help=${t("import_codes_help")}
    fields=${_r(!0)} preview=${s=>pr(s,!0)} run=${o} then=${n} />`}function br({sku:e,then:n}){let r=$r(e,"withdraw"),o=async({codes:c,all:l})=>{let p=[...new Set(mr(c,!1))];if(!!l==p.length>0)throw new Error(t("withdraw_codes_which"));let b=(await r(p,{all:!!l})).reduce((m,$)=>m+$.withdrawn,0);return{done:"withdrawn",sku:e.sku_id,withdrawn:b,kept:l?0:p.length-b}},s=t("type_to_confirm",{what:e.sku_id}),a=[..._r(!1),{name:"all",label:t("withdraw_codes_all"),type:"checkbox"},{name:"confirm",label:s,required:!0,pattern:e.sku_id.replaceAll(".","\\.")}],d=c=>c.all&&!c.codes?t("withdraw_codes_all"):pr(c,!1);return i`<${k} route="POST /skus/{sku_id}/vouchers:withdraw" id="withdraw-${e.sku_id}" kind="danger"
    label=${t("withdraw_codes")} title=${t("withdraw_codes")} help=${t("withdraw_codes_help")} fields=${a}
    preview=${d} run=${o} then=${n} />`}var Ps=()=>["physical","virtual","voucher"].map(e=>[e,t(`kind_${e}`)]),_t=e=>`/skus/${encodeURIComponent(e)}`;function gr(e){let n=r=>e?Z(r,e.currency):"";return[...e?[]:[{name:"sku_id",label:t("sku_id"),required:!0,...te}],{name:"title",label:t("title"),required:!0,maxlength:200,initial:e?.title},{name:"description",label:t("description"),help:t("description_help"),type:"textarea",maxlength:2e3,initial:e?.description},{name:"shop_id",label:t("shop_id"),required:!0,...te,initial:e?.shop_id??Je()},{name:"kind",label:t("kind"),options:Ps(),initial:e?.kind},{name:"currency",label:t("currency"),required:!0,pattern:"[A-Z]{3}",initial:e?.currency??"CNY"},{name:"price",label:t("list_price"),type:"number",min:0,required:!0,initial:n(e?.price)},{name:"fee",of:"freight.fee",label:t("freight"),type:"number",min:0,initial:n(e?.freight.fee)},{name:"free_over",of:"freight.free_over",label:t("free_over"),help:t("free_over_help"),type:"number",min:0,initial:n(e?.freight.free_over)},{name:"required_fields",label:t("required_fields"),help:t("required_fields_help"),type:"textarea",maxlength:1500,initial:e?.required_fields?.join(`
`)},{name:"image_url",label:t("image_url"),maxlength:500,initial:e?.image_url,below:$t},...e?[]:[{name:"stock",label:t("ordinary_stock"),type:"number",min:0,initial:0}]]}var yr=e=>(n,r,o)=>Ke(e,_t(e?.sku_id??n.sku_id),{body:{title:n.title,description:n.description,shop_id:n.shop_id,kind:n.kind,currency:n.currency,image_url:n.image_url,required_fields:n.required_fields.split(`
`).map(s=>s.trim()).filter(Boolean),price:J(n.price,n.currency),freight:{fee:J(n.fee,n.currency)??0,free_over:J(n.free_over,n.currency)??0},...n.stock&&{stock:Number(n.stock)}}},o),vr=({description:e=""})=>Ut(e)&&i`<${mt} text=${e} />`;function qs({query:e}){let n=new URLSearchParams(e).get("sku_id");return n?i`<${Es} id=${n} />`:i`<${Cs} />`}function Es({id:e}){return i`<${kr} list=${Ye(_t(e))}><p><a href="#/goods">${t("all_goods")}</a></p><//>`}function Cs(){let[e,n]=v({shop_id:""}),r=G("/skus",e);return i`<${kr} list=${r}><${ee} values=${e} change=${n}
    fields=${[{name:"shop_id",label:t("shop_id"),maxlength:te.maxlength}]} /><//>`}function kr({list:e,children:n}){let[r,o]=v(),s=[[i`<span class="hidden">${t("image_url")}</span>`,a=>i`<span class="thumb">
      <${$e} url=${a.image_url} title=${a.title} tone=${ze(a.sku_id)} /></span>`,"thumbnail"],[t("title"),a=>i`<b>${a.title}</b><p class="muted"><code>${a.sku_id}</code></p>`,"lead wide"],[t("shop"),a=>a.shop_id,"named"],[t("kind"),a=>t(`kind_${a.kind}`)],[t("list_price"),a=>D(a.price,a.currency),"number named"],[t("freight"),a=>D(a.freight.fee,a.currency),"number named"],[t("ordinary_stock"),a=>h(a.stock),"number named"],["",a=>i`<div class="row actions many">
      <${k} route="PUT /skus/{sku_id}"
        label=${t("edit")} title=${t("edit")} fields=${gr(a)} run=${yr(a)} then=${e.reload}
        preview=${vr} />
      <${Ls} sku=${a} then=${e.reload} />
      ${a.kind==="voucher"&&i`<${hr} sku=${a} then=${o} /><${br} sku=${a} then=${o} />`}
      <${k} route="DELETE /skus/{sku_id}"
        label=${t("delete")} title=${t("delete_title",{name:a.title})} kind="danger"
        help=${t("delete_sku_help")}
        run=${(d,c,l=a.version)=>g("DELETE",_t(a.sku_id),{version:l})}
        then=${e.reload} /></div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_goods")}</h1>
      <${k} route="PUT /skus/{sku_id}"
        label=${t("new_sku")} title=${t("new_sku")} kind="go" fields=${gr()} run=${yr()}
        then=${e.reload} preview=${vr} /></div>
    ${n}
    <p role="status" id="codes" class=${r?"notice":""}>${r&&fr(r)}</p>
    <${z} list=${e} name=${t("menu_goods")} columns=${s} empty=${t("goods_none")}
      keyOf=${a=>a.sku_id} />`}function Ls({sku:e,then:n}){let r=`${_t(e.sku_id)}/stock`,o=(c,l)=>t(l,{sku:e.title,before:h(e.stock),after:h(st(e.stock,c))}),s=(c,l)=>g("POST",r,{key:l,body:{delta:c}}),a=(c,l,p=e.stock_version)=>c.how==="set"?g("PUT",r,{version:p,body:{stock:Number(c.units)}}):s(ge(c),l),d=(c,l)=>{let p=l.how==="set"?e.stock-Number(l.units):-ge(l);return p!==0&&(u=>s(p,u))};return i`<${k} route="POST /skus/{sku_id}/stock" label=${t("change_stock")} title=${t("change_stock")}
    help=${t("set_stock_help")} id="stock-${e.sku_id}" fields=${ot()} run=${a} then=${n}
    preview=${c=>o(c,"goods_stock_preview")} done=${(c,l)=>o(l,"done_goods_stock")}
    undo=${d} />`}function wr({label:e,view:n,id:r}){return i`<form class="row" onSubmit=${s=>{s.preventDefault(),location.hash=`#/${n}/${encodeURIComponent(nn(s.target)[r])}`}}>
    <${Qe} name=${r} label=${e} required maxlength="64" autocomplete="off" spellcheck=${!1} />
    <button class=${n==="voucher"?"go":""}>${t("show")}</button></form>`}function Ds({me:e,links:n}){return i`<div class="row heading"><h1>${t("home_title",{name:e.name.replace("key:","")})}</h1></div>
    <p>${e.shop_id?t("own_shop_help"):t(`scope_${e.scope}_help`)}</p>
    ${e.scope==="till"&&i`<section class="card">
      <${wr} label=${t("voucher_code")} view="voucher" id="code" />
      <${wr} label=${t("order_number")} view="order" id="number" /></section>`}
    ${n.length>0&&i`<ul>${n.map(([r,o])=>i`<li><a href="#/${r}">${t(`menu_${o}`)}</a></li>`)}</ul>`}
    ${!E("POST /keys")&&i`<p class="muted">${t("home_help")}</p>`}`}function js({route:e}){let n=(on(e)??[]).map(r=>t(`scope_${r}`));return n.length?i`<div class="problem" role="alert"><p>${t("not_in_scope")}</p>
    <p class="muted">${t("scopes_needed",{scopes:n.join(", ")})}</p></div>`:i`<p class="problem" role="alert">${t("not_of_a_shop")}</p>`}var Us=["till","support","catalogue","read","events","payments","admin"];function xr(e){return e.revoked_at?"revoked":e.expires_at&&Date.parse(e.expires_at)<=Be()?"expired":"active"}function Ns({revoked_at:e,revoked_by:n,expires_at:r}){return e?i`<${U} at=${e} /><p class="muted">${n}</p>`:r?i`<${U} at=${r} />`:t("no_end")}function As(){let e=G("/keys"),[n,r]=v(),o=[{name:"name",label:t("name"),help:t("key_name_help"),required:!0,maxlength:60},{name:"scope",label:t("scope"),options:Us.map(c=>[c,t(`scope_${c}`)]),initial:"till"},{name:"shop",of:"shop_id",label:t("shop"),help:t("key_shop_help"),...te},{name:"until",of:"expires_at",label:t("key_until"),help:t("key_until_help"),type:"datetime-local"}],s=({name:c,scope:l,shop:p,until:u},b)=>g("POST","/keys",{key:b,body:{name:c,scope:l,...p&&{shop_id:p},...u&&{expires_at:new Date(u).toISOString()}}}),a=c=>{r(c),e.reload()},d=[[t("name"),c=>i`<b>${c.name}</b>`,"lead"],[t("scope"),c=>i`<span title=${t(`scope_${c.scope}_help`)}>${t(`scope_${c.scope}`)}</span>`],[t("shop"),c=>c.shop_id??t("all_shops"),"named"],[t("state"),c=>i`<${B} state=${xr(c)} />`],[A(t("last_used")),c=>c.last_used_at?i`<${U} at=${c.last_used_at} />`:t("never"),"named"],[A(t("made")),c=>i`<${U} at=${c.created_at} /><p class="muted">${c.created_by}</p>`,"named"],[A(t("ends")),Ns,"named"],["",c=>xr(c)==="active"&&i`<${k} label=${t("revoke")} title=${t("revoke_title",{name:c.name})} help=${t("revoke_help")}
        kind="danger" id="revoke-${c.key_id}" run=${()=>g("DELETE",`/keys/${c.key_id}`)} then=${e.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_keys")}</h1>
      <${k} label=${t("new_key")} kind="go" id="new-key" title=${t("new_key")} fields=${o} run=${s}
        then=${a} preview=${({scope:c="till"})=>t(`scope_${c}_help`)} /></div>
    <p class="muted">${t("keys_help")}</p>
    <${z} list=${e} name=${t("menu_keys")} columns=${d} empty=${t("keys_none")}
      keyOf=${c=>c.key_id} />
    ${n&&i`<${gn} title=${t("key_made",{name:n.name})} help=${t("key_made_help")} secret=${n.secret}
        close=${()=>r()} />`}`}var Sr=1e3,Rs=300;async function Or(e){let n=e&&{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)},r=await Yt(Ht("/dev/crowd"),n||{}).catch(()=>{throw{code:"unreachable"}}),o=await r.json();if(!r.ok)throw o;return o}function Ms(e){let[n,r]=v(),[o,s]=v(),[a,d]=v(""),[c,l]=v(0),p=L(!1),u=!!n?.running;return P(()=>{let m=!0,$=setTimeout(()=>Or().then(f=>{if(m){if(f.activity_id!==e||!f.buyers){r(void 0);return}r(f),f.running&&s(),u&&!f.running&&d(t("crowd_ended",{ordered:h(f.ordered),refused:h(f.refused),drift:h(f.drift)})),l(_=>_+(f.running?1:0))}},()=>m&&l(f=>f+(u?1:0))),u?Rs:0);return()=>{m=!1,clearTimeout($)}},[e,c]),{crowd:n,error:o,said:a,running:u,send:async()=>{if(!p.current){p.current=!0,s();try{let m=await Or({activity_id:e,buyers:Sr});r(m),d(t("crowd_begun",{count:h(m.buyers)}))}catch(m){s(m)}p.current=!1,l(m=>m+1)}}}}function Tr({activity:e,sells:n=!0}){let{crowd:r,error:o,said:s,running:a,send:d}=Ms(e);if(!n&&!r)return null;let c=h(Sr),l=t(r?"crowd_again":"crowd_send",{count:c}),p=a?t("crowd_running",{count:h(r.buyers)}):l;return i`<section class="crowd card" aria-labelledby="crowd-title">
    <div class="crowd-head"><div><span class="badge">${t("crowd_demo")}</span>
        <h2 id="crowd-title">${t("crowd_title",{count:c})}</h2>
        <p class="muted">${t("crowd_help")}</p></div>
      <button
        id="send-crowd"
        class="large"
        disabled=${a||!n}
        onClick=${d}
      >${p}</button></div>
    ${o?.code==="conflict"?i`<p class="problem" role="alert">${t("crowd_busy")}</p>`:i`<${T} error=${o} />`}
    ${r&&i`<${Is} crowd=${r} />`}
    <p class="hidden" role="status">${s}</p>
  </section>`}function Is({crowd:e}){let n=[["bought",e.ordered],["refused",e.refused],["waiting",e.waiting]],r=Math.max(e.elapsed_ms,1)/1e3,o=e.units_before-e.units_left,s=e.ok!==void 0,a=!e.running&&o===e.ordered,d={sold:h(o),total:h(e.units_before)},c=e.drift===0?"good":"bad",l=(p,u,b="")=>i`<div class="fact ${p} ${b}"><dt>${t(`crowd_${p}`)}</dt>
    <dd>${u}${b==="good"&&i`<span aria-hidden="true"> ✓</span>`}</dd></div>`;return i`<div class="outcome ${e.running?"running":"over"}">
    <div class="crowd-bar" aria-hidden="true">${n.map(([p,u])=>i`
      <span class=${p} style=${{width:`${100*u/e.buyers}%`}}></span>`)}</div>
    <dl class="crowd-numbers">${n.map(([p,u])=>i`<div class=${p}>
      <dt>${t(`crowd_${p}`)}</dt><dd>${h(u)}</dd></div>`)}</dl>
    <dl class="crowd-facts">
      ${l("sold",t("crowd_sold_of",d),a?"good":"")}
      ${l("drift",s?h(e.drift):"…",s?c:"")}
      ${l("rate",h(Math.round(e.requests/r)))}
      ${l("time",t("crowd_seconds",{seconds:r.toFixed(1)}))}</dl>
    <${Bs} answers=${e.answers} /></div>`}function Bs({answers:e}){let n={};for(let[s,a]of Object.entries(e)){let d=s.slice(s.indexOf(":")+1);d!=="ok"&&(n[d]=(n[d]??0)+a)}let r=Object.entries(n).sort(([,s],[,a])=>a-s);if(r.length===0)return null;let[[,o]]=r;return i`<div class="told"><h3>${t("crowd_told")}</h3>
    <ul>${r.map(([s,a])=>i`<li key=${s}><span>${Gs(s)}</span><b>${h(a)} ×</b>
      <span class="told-bar" aria-hidden="true">
        <span style=${{width:`${100*a/o}%`}}></span></span></li>`)}</ul></div>`}function Gs(e){for(let n of[`crowd_told_${e}`,`problem_${e}`])if(we(n))return t(n);return e}function Fs(e){return e.ok?!0:e.changes_stuck>0&&e.bought_wrong===0&&he([...e.items,...e.totals])===0}function zs(e){let n=new Map;for(let r of e)n.has(r.sku_id)||n.set(r.sku_id,[]),n.get(r.sku_id).push(r);return[...n].map(([r,o])=>({sku_id:r,points:o,...an(o)}))}function Pr({audit:e,sale:n,again:r}){let o=zs(e.items),s=o.map(u=>u.sku_id),[a,d]=v(()=>new Set(s.length<=10?s:[])),c=u=>d(b=>{let m=new Set(b);return m.delete(u)||m.add(u),m}),l=a.size===s.length,p=Fs(e);return i`<section class="account"><div class="row heading"><h2>${t("account")}</h2>
      <span class="badge ${ie(p)}">${t(p?"account_ok":"account_wrong")}</span>
      ${!p&&i`<${k} route="POST /activities/{activity_id}/audit/repair"
          label=${t("repair")} title=${t("repair")} help=${t("repair_help")} kind="danger"
        run=${(u,b)=>g("POST",`/activities/${n.activity_id}/audit/repair`,{key:b})} then=${r} />`}
      <button class="quiet" id="all-points" onClick=${()=>d(new Set(l?[]:s))}>
        ${t(l?"fold_points":"show_points")}</button></div>
    <p class="muted">${t("account_rule")}</p>
    ${e.changes_pending>0&&i`<p class="notice">
      ${t("changes_pending",{changes:h(e.changes_pending)})}${" "}
      ${e.changes_stuck>0&&t("changes_stuck",{changes:h(e.changes_stuck)})}</p>`}
    <div class="table wide" tabindex="0" role="region" aria-label=${t("account")}><table role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${t("sku")}</th>
        <th scope="col" role="columnheader">${t("point")}</th>
        ${He.map(u=>i`
        <th scope="col" role="columnheader" class="number">${t(`units_${u}`)}</th>`)}</tr></thead>
      ${o.map(u=>i`<tbody role="rowgroup" key=${u.sku_id}>
        <${ht} sku=${u.sku_id} values=${u} open=${a.has(u.sku_id)} toggle=${c} />
        ${a.has(u.sku_id)&&u.points.map(b=>i`
          <${ht} key=${b.point_id} point=${b.point_id} values=${b} />`)}</tbody>`)}
    </table></div></section>`}var ht=class extends Ae{shouldComponentUpdate(n){return n.open!==this.props.open||He.some(r=>n.values[r]!==this.props.values[r])}render({sku:n,point:r,values:o,open:s,toggle:a}){return i`<tr class=${n?"sum":""} role="row">
      <td class="name" role="cell">${n&&i`<button class="fold" aria-expanded=${s} onClick=${()=>a(n)}>${n}</button>`}</td>
      <td class="name" role="cell" data-name=${r&&t("point")}>${r}</td>
      ${He.map(d=>{let c=d==="drift"?ie(o.drift===0):"",l=t(`units_${d}`);return i`<td class="number ${c}" role="cell" data-name=${l}>${h(o[d])}</td>`})}</tr>`}};var Js=1e4,qr=["pointerdown","keydown"],Er=Me("alarm_sound"),X,Cr;function bt(){return X??=new AudioContext,X.resume()}function Lr(){Cr??=bt().then(()=>{Cr=void 0,Ws()})}function Ws(){for(let[e,n]of[[0,880],[.25,660]]){let r=X.createOscillator(),o=X.createGain();r.frequency.value=n,o.gain.value=.2,r.connect(o).connect(X.destination),r.start(X.currentTime+e),r.stop(X.currentTime+e+.2)}}function Hs(e){let[,n]=v(0);return P(()=>{if(!e)return;bt();let r=()=>n(o=>o+1);r(),X.addEventListener("statechange",r);for(let o of qr)addEventListener(o,bt,!0);return()=>{X.removeEventListener("statechange",r);for(let o of qr)removeEventListener(o,bt,!0)}},[e]),!X||X.state==="running"}function Dr(){let[e,n]=v(localStorage.getItem(Er)==="on");return[e,o=>{localStorage.setItem(Er,o?"on":"off"),n(o),o&&Lr()}]}function Bt(e,n){let r=L(0);return{...H(e,async()=>{r.current||=Date.now();try{let s=await n();return r.current=0,s}catch(s){throw s.status<500&&(r.current=0),s}},!0),since:r.current}}function jr({value:e,since:n},{value:r,since:o}){let s=r&&he([...r.items,...r.totals]),a=[],d=c=>c>0&&Date.now()-c>Js;return(d(n)||d(o))&&a.push(["stale",t("alarm_stale")]),r&&!r.ok&&a.push(["drift",s>0?t("alarm_drift",{drift:h(s)}):t("account_wrong")]),e?.queue.dead>0&&a.push(["dead",t("alarm_dead",{dead:h(e.queue.dead)})]),a}function Ur({on:e,change:n}){let r=Hs(e);return i`<label class="option sound"><input type="checkbox" id="sound" checked=${e}
      onChange=${o=>n(o.target.checked)} />${t("alarm_sound")}</label>
    <p class="muted" role="status" id="sound-waits">${e&&!r&&t("alarm_waits")}</p>`}function Nr({title:e,reasons:n,on:r}){let o=L(new Set),s=n.map(([a])=>a).join();return P(()=>{document.title=`${n.length>0?`(${n.length}!) `:""}${e} · Onrush`},[e,n.length]),P(()=>{r&&n.some(([a])=>!o.current.has(a))&&Lr(),o.current=new Set(n.map(([a])=>a))},[s]),i`<div role="alert" class="alarms">${n.map(([a,d])=>i`<p key=${a} class="problem" id="alarm-${a}">${d}</p>`)}</div>`}var Gt=5,gt=({code:e})=>i`${K("refusal",e).replace(e,"")} <code class="muted below">${e}</code>`;function Ar({stats:e}){let{value:n,error:r,reload:o}=H(3e3,()=>g("GET",`/refusals?minutes=${Gt}`)),s=Object.entries(e.answers).map(([u,b])=>({call:u.split(":")[0],code:u.split(":")[1],n:b})).sort((u,b)=>b.n-u.n),a=Math.max(1,...s.map(({n:u})=>u)),d=({n:u})=>i`<${rn} value=${u} of=${a} />`,c=[[t("call"),u=>t(`call_${u.call}`)],[t("code"),u=>i`<${gt} code=${u.code} />`,"lead"],[t("share"),d],[t("count"),u=>h(u.n),"number end"]],l=[[t("code"),u=>i`<${gt} code=${u.code} />`,"lead"],[t("count"),u=>h(u.requests),"number end"]],p=[["rooms","room_id"],["share_sources","share_source"]].filter(([u])=>e[u].length);return i`<div class="columns">
    <section><h2>${t("answers")}</h2>
      <${R} name=${t("answers")} rows=${s} columns=${c} empty=${t("answers_none")}
        keyOf=${u=>`${u.call}:${u.code}`} /></section>
    <section><h2>${t("refusals",{minutes:Gt})}</h2>
      <${T} error=${r} retry=${o} />
      ${n&&i`<${R} name=${t("refusals",{minutes:Gt})} rows=${n.items} columns=${l}
        empty=${t("refusals_none")} keyOf=${u=>u.code} />`}</section>
    ${p.map(([u,b])=>i`<${Ks} name=${u} id=${b} stats=${e} />`)}</div>`}function Ks({name:e,id:n,stats:r}){let o=a=>`#/money/orders?${new URLSearchParams({activity_id:r.activity_id,[n]:a[n]})}`,s=[[t(e),a=>i`<a href=${o(a)}>${a[n]}</a>`,"lead"],[t("orders"),a=>h(a.orders),"number end"]];return i`<section><h2>${t(e)}</h2>
    <${R} name=${t(e)} rows=${r[e]} columns=${s} empty="" keyOf=${a=>a[n]} /></section>`}var Rr=150,Vs=300;function Ft({title:e,times:n,series:r}){let o=L(),s=L(),[a,d]=v(),c=[n.map(m=>m/1e3),...r.map(m=>m.values)],l=L(c);l.current=c,P(()=>{let m=!1,$=matchMedia("(prefers-color-scheme: dark)"),f=async()=>{let{default:y}=await import("./uplot-2LURMCIS.js");m||(s.current?.destroy(),s.current=new y(Qs(o.current.clientWidth,r,d),l.current,o.current))},_=new ResizeObserver(()=>s.current?.setSize({width:o.current.clientWidth,height:Rr}));return f(),$.addEventListener("change",f),_.observe(o.current),()=>{m=!0,$.removeEventListener("change",f),_.disconnect(),s.current?.destroy()}},[]),P(()=>{s.current?.setData(l.current)});let p=a??n.length-1,u=({values:m})=>m[p]==null?"–":h(m[p]),b=r.every(({values:m})=>m.filter($=>$!=null).length<2);return i`<figure class="card chart">
    <figcaption><b>${e}</b>${a!==void 0&&i` <span class="muted">${We(n[a])}</span>`}${r.map(m=>i`
      <span class="line ${m.color}">${m.label} <b>${u(m)}</b></span>`)}</figcaption>
    ${b&&i`<p class="muted nothing">${t("chart_empty")}</p>`}
    <div ref=${o} aria-hidden="true"></div></figure>`}function Qs(e,n,r){let o=getComputedStyle(document.documentElement),s=c=>o.getPropertyValue(`--${c}`).trim(),a={stroke:s("muted"),grid:{stroke:s("line"),width:1},ticks:{show:!1},font:"11px system-ui"},d=new Intl.DateTimeFormat(Ie,{hour:"2-digit",minute:"2-digit",hourCycle:"h23"});return{width:e,height:Rr,legend:{show:!1},cursor:{y:!1,drag:{x:!1},points:{size:7}},hooks:{setCursor:[({cursor:c})=>r(c.idx??void 0)]},scales:{x:{range:(c,l,p)=>[Math.min(l,p-Vs),p]},y:{range:(c,l,p)=>[Math.min(0,l),Math.max(1,p*1.1)]}},axes:[{...a,values:(c,l)=>l.map(p=>d.format(p*1e3)),space:70,size:30},{...a,size:52,values:(c,l)=>l.map(p=>Number.isInteger(p)?h(p):"")}],series:[{},...n.map(c=>({stroke:s(c.color),width:2,fill:`${s(c.color)}22`,points:{show:!1},spanGaps:!0}))]}}var Mr=5e3,Ir=720;function Br(e,n){let r=Date.parse(n.server_time);if(e.length&&r-e.at(-1).at<Mr)return e;let o=s=>n.partial&&!s?void 0:s;return[...e,{at:r,orders_per_second:o(n.orders_per_second),remaining:_e(n)??null,unpaid:o(n.unpaid),paid:o(n.paid)}].slice(-Ir)}function Gr(e,n){let r=e.map(s=>({...s,at:Date.parse(s.at)}));return[...new Map([...n,...r].map(s=>[Math.floor(s.at/Mr),s])).values()].sort((s,a)=>s.at-a.at).slice(-Ir)}function Fr({points:e}){let n=e.map(a=>a.at),r=(a,d,c)=>({label:a,color:d,values:c}),o=a=>e.map(d=>d[a]??null),s=(a,d,c)=>i`
    <${Ft} title=${t(a)} times=${n} series=${[r("",d,c)]} />`;return i`<section class="charts" aria-label=${t("charts")}>
    ${s("orders_per_second","link",o("orders_per_second"))}
    ${s("left","link",o("remaining"))}
    <${Ft} title=${t("unpaid_paid")} times=${n}
      series=${[r(t("state_unpaid"),"warn",o("unpaid")),r(t("state_paid"),"good",o("paid"))]} />
  </section>`}var Hr=5,Ys=100,yt=6e4,zr=6;async function Kr(e){if(!E("GET /orders"))return;let n=Be()-e.pay_within_s*1e3+Hr*yt,r=new URLSearchParams({activity_id:e.activity_id,status:"unpaid",to:new Date(n).toISOString(),page_size:String(Ys)}),{items:o,next_cursor:s,partial:a}=await g("GET",`/orders?${r}`);return a?void 0:{units:o.flatMap(c=>c.items).reduce((c,l)=>c+l.quantity,0),more:!!s}}function Zs(e){let n=e.filter(s=>s.paid!==void 0),r=n.at(-1),o=n.find(s=>r.at-s.at<=yt);if(!(!r||r.at-o.at<yt/6))return Math.max(0,Math.round((r.paid-o.paid)*yt/(r.at-o.at)))}var Xs=(e,n)=>new Intl.NumberFormat(Ie,{style:"percent",maximumFractionDigits:1}).format(e/n),ei=e=>e?t("peak",{orders:h(e.orders),time:We(e.at)}):"",Jr=e=>e===1?t("of_order"):t("of_orders",{orders:typeof e=="number"?h(e):e}),ti=e=>t("room_length",{admitted:h(e.admitted),time:xe(e.last_waits_s*1e3)});function Vr({sale:e,skus:n,stats:r,audit:o,coming:s,points:a}){let d=w=>r.partial&&w===0?"–":w,c=w=>r.loaded?fe(r.stock,w):"–",l=o?fe(o.items,"remaining"):_e(r),p=fe(o?o.items:r.stock,"total"),u=r.placed+r.unpaid+r.paid+r.refunded+r.cancelled+r.failed,b=r.paid+r.refunded,m=Zs(a),$=s&&(s.more?`${h(s.units)}+`:s.units),f=r.loaded&&n&&hn(e,n,r.stock),_=r.waiting_room,y=[["left",l??"–",t("of_total",{total:h(p)})],["orders_per_second",d(r.orders_per_second),ei(r.peak)],["paid_units",c("paid"),Jr(d(r.paid))],["held",c("held"),Jr(d(r.unpaid+r.placed))],["revenue",f?bn(f):"–",t("revenue_note")],["drift",o?he(o.items):"–","",o?ie(o.ok):""],["dead",d(r.queue.dead),"",r.queue.dead?"bad":""],["coming_back",$??"–",t("coming_back_note",{minutes:Hr})],["paid_rate",u>0&&!r.partial?Xs(b,u):"–",m===void 0?"":t("paid_minute",{n:h(m)})],["state_cancelled",d(r.cancelled)],["in_room",_?_.waiting:"–",_?ti(_):t("room_none_short")],["queued",d(r.queue.length),t("oldest_age",{time:xe(r.queue.oldest_ms)})]];return i`<${Wr} figures=${y.slice(0,zr)} />
    <details class="more-figures"><summary>${t("more_figures")}</summary>
      <${Wr} figures=${y.slice(zr)} /></details>`}function Wr({figures:e}){return i`<dl class="figures six">${e.map(([n,r,o,s=""])=>i`
    <div id="figure-${n}" class=${s}><dt>${t(n)}</dt>
      <dd>${typeof r=="number"?h(r):r} <small>${o}</small></dd></div>`)}</dl>`}function Qr({children:e}){let n=L();return P(()=>{let o=s=>{let{current:a}=n;!a.contains(s.target)&&!a.querySelector("dialog")&&(a.open=!1)};return addEventListener("pointerdown",o),addEventListener("focusin",o),()=>{removeEventListener("pointerdown",o),removeEventListener("focusin",o)}},[]),i`<details class="menu" ref=${n} onKeyDown=${o=>{o.key!=="Escape"||n.current.querySelector("dialog")||(n.current.open=!1,n.current.querySelector("summary").focus())}}>
    <summary class="button quiet">${t("more_actions")}</summary><div>${e}</div></details>`}var zt="PATCH /activities/{activity_id}",vt=[.1,.2,.5,1,2,5,10,20,30,50,75,100,150,200,300,500,750,1e3,2e3,5e3,1e4],ni=e=>vt.reduce((n,r,o)=>Math.abs(r-e)<Math.abs(vt[n]-e)?o:n,0),ri=(e,n,r)=>({waiting:h(e.waiting),admitted:h(e.admitted),time:xe((r?e.last_waits_s:e.waiting/n)*1e3),rate:h(n)});function Yr({sale:e,line:n,then:r}){let[o,s]=v();if(!["upcoming","running"].includes(ne(e)))return null;let a=e.waiting_room?.paths_per_second??-1,d=a>0,c=o??(d?a:10),l=d&&c===a,p=f=>()=>b(a)({},"",f.version),u=f=>{let _=f.waiting_room?.paths_per_second??-1;return _>0?t("done_room",{rate:h(_)}):t("done_room_ended")},b=f=>(_,y,w)=>g("PATCH",`/activities/${e.activity_id}`,{version:w??e.version,body:{waiting_room:{paths_per_second:f}}}),m=()=>{s(),r()},$=f=>Number(f.target.value)>=.01&&s(Number(f.target.value));return i`<details class="card room" id="room" open=${d}>
    <summary><h2>${t("room")}</h2> <span>${d?t("room_admits",{rate:h(a)}):t("room_none")}
      ${n&&i` <b id="room-line">${t("room_waits",ri(n,c,l))}</b>`}</span></summary>
    ${E(zt)&&i`<div class="row">
      <label class="slider"><span>${t("room_rate")}</span>
        <input type="range" min="0" max=${vt.length-1} value=${ni(c)}
          aria-valuetext=${t("room_rate_is",{rate:h(c)})} onInput=${f=>s(vt[f.target.value])} />
      </label>
      <label class="unit"><span class="hidden">${t("room_rate")}</span>
        <input type="number" name="rate" min="0.01" step="any" value=${c} onChange=${$} />
        <span class="muted">${t("a_second")}</span></label></div>
    ${l&&i`<p class="muted">${t("room_same")}</p>`}
    <div class="row">
      ${l?i`<button class="quiet" disabled>${t("room_set")}</button>`:i`<${k} route=${zt}
            label=${t(d?"room_set":"room_open")} id="room-set" run=${b(c)} then=${m}
            done=${u} undo=${d&&p} />`}
      ${d&&i`<${k} route=${zt}
          label=${t("room_end")} title=${t("room_end")} help=${t("room_end_help")} kind="danger"
        id="room-end" run=${b(-1)} then=${m} done=${u} undo=${p} />`}</div>`}</details>`}var oi=e=>ne(e)==="running"&&!e.paused_at;function si({id:e,query:n}){let r=new URLSearchParams(n).get("do"),o=`/activities/${encodeURIComponent(e)}`,[s,a]=Dr(),d=H(5e3,()=>g("GET",o)),c=N(()=>F("/skus",{activity_id:e})),l=H(6e4,()=>g("GET",`${o}/history`)),p=H(1e4,async()=>d.value&&Kr(d.value)),u=!!d.value;P(()=>{u&&p.reload()},[u]);let b=L([]),m=Bt(1e3,async()=>{let O=await g("GET",`${o}/stats`);return Qt(O.server_time),b.current=Br(b.current,O),O}),$=Bt(2e3,()=>g("GET",`${o}/audit`));en();let f=d.error??m.error??$.error;if(!d.value)return f?i`<${T} error=${f} retry=${d.reload} />`:i`<${j} />`;let _=()=>{d.reload(),$.reload(),m.reload()},y=Gr(l.value?.items??[],b.current),w=`#/money/orders?${new URLSearchParams({activity_id:e})}`;return i`<div class="row heading"><h1>${d.value.title}</h1><${be} sale=${d.value} />
      <span class="muted" role="timer">${Sn(d.value)}</span>
      <span class="row actions"><${Un} sale=${d.value} then=${_} opens=${r==="pause"} />
        <${jn} sale=${d.value} then=${_} /><${Dn} sale=${d.value} then=${_} />
        <${Qr}>${E("GET /orders")&&i`<a id="orders" href=${w}>${t("orders")}</a>`}
          ${E("GET /activities/{activity_id}/report")&&i`<a id="report" href=${Tn(d.value)}>${t("report")}</a>`}
          ${E("GET /changes")&&i`<a href="#/changes?${new URLSearchParams({on:`activity:${e}`})}">${t("menu_changes")}</a>`}
          ${E("PUT /activities/{activity_id}")&&i`<a href="#/edit/${e}">${t("edit")}</a>`}
          <${dt} sale=${d.value} kind="link" /><${ct} sale=${d.value} then=${_} /><//></span></div>
    <div class="row toolbar"><${Ur} on=${s} change=${a} /></div>
    ${d.value.paused_at&&i`<p class="notice warn" id="paused" role="status">
      ${t("sale_paused",{time:C(d.value.paused_at)})}</p>`}
    <${T} error=${f} retry=${_} />
    <${Nr} title=${d.value.title} reasons=${jr(m,$)} on=${s} />
    ${m.value?.partial&&i`<p class="notice">${t("partial")}</p>`}
    ${m.value&&i`<${Vr} sale=${d.value} skus=${c.value} stats=${m.value} audit=${$.value}
        coming=${p.value} points=${y} />`}
    <${Yr} sale=${d.value} line=${m.value?.waiting_room} then=${_} />
    <${Fr} points=${y} />
    ${$.value&&i`<${Pr} audit=${$.value} sale=${d.value} again=${_} />`}
    ${m.value&&i`<${Ar} stats=${m.value} />`}
    ${Re.dev_tokens&&oi(d.value)&&i`<${Tr} activity=${e} />`}`}var ii=["expired","refused","failed","unavailable"];function ai(){let e=new URLSearchParams(location.search).get("login");return i`${ii.includes(e)&&i`<p class="problem" role="alert">${t(`login_${e}`)}</p>`}
    <p><a class="button go" id="issuer-login" href=${Zt()}>${t("sign_in_at",{host:Re.sign_in})}</a></p>
    <p class="muted">${t("or_key")}</p>`}function di({id:e,query:n}){let r=`/orders/${encodeURIComponent(e)}`,{value:o,error:s,reload:a}=H(5e3,async()=>{let[l,p]=await Promise.all([g("GET",r),E("GET /refunds")?g("GET",`/refunds?order_number=${encodeURIComponent(e)}&page_size=50`):{items:[]}]),u=pi(l,p.items),b=!u||u.channel==="outside",m=l.items.map($=>({...$,left:$.quantity-ci($,p.items)}));return{order:{...l,items:m,byPayment:!!u,outside:b},refunds:p.items}});if(!o)return s?i`<${T} error=${s} retry=${a} />`:i`<${j} />`;let{order:d,refunds:c}=o;return i`<div class="row heading">
      <h1>${t("order_title",{number:d.order_number})}</h1><${B} state=${d.status} />
      <${wi} order=${d} reload=${a} opens=${n==="do=refund"} />
      <${mi} order=${d} path=${r} reload=${a} />
      <${ui} order=${d} path=${r} reload=${a} /></div>
    <div class="columns"><${$i} order=${d} reload=${a} /><${fi} order=${d} /></div>
    <h2>${t("payments")}</h2>
    <${R} name=${t("payments")} rows=${d.payments??[]} columns=${hi()}
      empty=${t("order_payments_none")} keyOf=${l=>l.pay_number} />
    ${E("GET /refunds")&&i`<h2>${t("refunds")}</h2>
    <${R} name=${t("refunds")} rows=${c} columns=${_n(a)} empty=${t("order_refunds_none")}
      keyOf=${l=>l.refund_number} />`}
    <h2>${t("log")}</h2>
    <${R} name=${t("log")} rows=${d.log} columns=${gi()} empty=""
      keyOf=${l=>`${l.at}${l.what}`} />
    <${yi} path=${r} notes=${d.notes??[]} reload=${a} />`}function ci(e,n){let r=n.filter(({reason:o})=>o==="operator").flatMap(o=>o.items??[]);return fe(r.filter(({sku_id:o})=>o===e.sku_id),"quantity")}function li({status:e,events:n}){return e==="unpaid"?["cancel","mark_paid"]:e==="refunded"&&!n.some(({what:r})=>r==="restocked")?["restock"]:[]}function ui({order:e,path:n,reload:r}){let o={name:"reason",label:t("why"),required:!0,maxlength:200};return li(e).map(s=>i`<${k} key=${s} route=${`POST /orders/{order_number}/${s}`} label=${t(`order_${s}`)}
      title=${t(`order_${s}`)} help=${t(`order_${s}_help`)} fields=${[o]}
      kind=${s==="cancel"?"danger":"quiet"}
      run=${(a,d)=>g("POST",`${n}/${s}`,{key:d,body:a})} then=${r} />`)}function pi(e,n){let r=o=>n.some(s=>s.pay_number===o.pay_number&&!["operator","refunded_outside"].includes(s.reason));return(e.payments??[]).find(o=>["paid","refunding","refunded"].includes(o.status)&&!r(o))}function mi({order:e,path:n,reload:r}){if(e.status!=="paid"||!e.outside)return null;let o="order_mark_refunded",s=[{...to(e),required:!0},{name:"reference",label:t("refund_reference"),required:!0,maxlength:200},{name:"reason",label:t("why"),required:!0,maxlength:200}],a=({amount:d,reference:c,reason:l},p)=>{let u=J(d,e.currency),b={reference:c,reason:l,...u!==void 0&&{amount:u}};return g("POST",`${n}/mark_refunded`,{key:p,body:b})};return i`<${k} route="POST /orders/{order_number}/mark_refunded" label=${t(o)} title=${t(o)}
    fields=${s} run=${a} then=${r} preview=${d=>ro(e,d)} />`}function $i({order:e,reload:n}){let r=o=>D(o,e.currency);return i`<section class="card"><h2>${t("what")}</h2>
    <ul class="items">${e.items.map(o=>i`<li>
      <span>${o.title} × ${o.quantity}</span>
      <span class="row">${r(o.price*o.quantity)}
        <${xi} order=${e} item=${o} reload=${n} /></span>
      ${o.voucher_codes?.map(s=>i`<p class="voucher">
        <a href="#/voucher/${s}"><code>${s}</code></a></p>`)}
      ${o.vouchers_waiting>0&&i`<p class="voucher">${t("vouchers_waiting",{count:h(o.vouchers_waiting)})}</p>`}</li>`)}</ul>
    <dl class="amounts">
      <div><dt>${t("freight")}</dt><dd>${r(e.freight_amount)}</dd></div>
      <div><dt>${t("amount")}</dt><dd>${r(e.total_amount)}</dd></div>
      ${e.refunded_amount>0&&i`
        <div><dt>${t("refunded")}</dt><dd>−${r(e.refunded_amount)}</dd></div>
        <div><dt>${t("amount_left")}</dt><dd>${r(le(e))}</dd></div>`}</dl></section>`}function fi({order:e}){let n=(r,o)=>i`<a href="#/money/orders?${new URLSearchParams({[r]:o})}">${o}</a>`;return i`<section class="card"><h2>${t("facts")}</h2><dl class="facts">
    ${I("buyer",i`<a href="#/user/${encodeURIComponent(e.user_id)}">${e.user_id}</a>`)}
    ${I("sale",e.activity_id&&i`<${_i} id=${e.activity_id} />`)}
    ${I("placed",C(e.placed_at))}
    ${I("pay_before",e.status==="unpaid"&&C(e.pay_before))}
    ${I("paid_at",e.paid_at&&C(e.paid_at))}
    ${I("reason",e.cancel_reason&&K("cancel",e.cancel_reason))}
    ${I("delivery",t(`delivery_${e.delivery}`))}
    ${I("address",e.address&&tn(e.address))}
    ${I("phone",e.address?.phone)}
    ${I("pickup_point",e.pickup_point_id)}
    ${I("shop",e.shop_id)}
    ${I("point",e.point_id)}
    ${I("client_reference",e.client_reference)}
    ${I("notify_token",e.notify_token)}
    ${fn.map(r=>I(r,e[r]&&n(r,e[r])))}
    ${I("remark",e.remark)}
    ${Object.entries(e.fields??{}).map(([r,o])=>Zr(r,o))}</dl></section>`}function _i({id:e}){let{value:n}=N(async()=>E("GET /activities/{activity_id}")&&g("GET",`/activities/${e}`));return i`<a href="#/live/${e}">${n&&n.title||e}</a>`}var I=(e,n)=>n&&Zr(t(e),n),Zr=(e,n)=>i`<div><dt>${e}</dt><dd>${n}</dd></div>`,hi=()=>[[t("payment"),e=>i`<a href="#/payment/${e.pay_number}">${e.pay_number}</a>`,"lead"],[A(t("made")),e=>i`<${U} at=${e.created_at} />`],[t("channel"),e=>e.channel],[t("amount"),e=>D(e.amount,e.currency),"number"],[t("state"),e=>i`<${B} state=${e.status} />`,"end"]],bi=(e="")=>{let[n,r]=e.split(/:(.*)/);return r===void 0?K("who",e):`${K("who",n)} ${r}`},gi=()=>[[A(t("at")),e=>i`<${U} at=${e.at} />`,"end"],[t("what"),e=>K("log",e.what),"lead"],[t("by"),e=>bi(e.who)],[t("from_address"),e=>e.from??""]];function yi({path:e,notes:n,reload:r}){return i`<div class="row heading"><h2>${t("notes")}</h2>
      <${k} route="POST /orders/{order_number}/notes"
        label=${t("write_note")} title=${t("write_note")} help=${t("notes_help")}
        fields=${[{name:"text",label:t("note"),type:"textarea",required:!0,maxlength:1e3}]}
        run=${(o,s)=>g("POST",`${e}/notes`,{key:s,body:o})} then=${r} /></div>
    ${n.length===0&&i`<p class="empty">${t("notes_none")}</p>`}
    <ul class="list">${n.map(o=>i`<li class="card"><b>${o.actor}</b>
      <span class="muted"> ${C(o.at)}</span><p>${o.text}</p></li>`)}</ul>`}function Xr(e){return e.voucher_codes?.length>0?e.voucher_codes.map(n=>({name:`voucher_${n}`,label:`${e.title}: ${t("refund_voucher",{code:n})}`,type:"checkbox"})):[{name:`units_${e.sku_id}`,label:t("refund_units",{title:e.title,quantity:e.left}),type:"number",step:1,min:0,max:e.left,initial:0,steps:!0}]}function kt(e,n){let r=(e.voucher_codes??[]).filter(o=>n[`voucher_${o}`]);return{sku_id:e.sku_id,quantity:r.length||Number(n[`units_${e.sku_id}`]??0),...r.length>0&&{voucher_codes:r}}}var le=e=>e.total_amount-(e.refunded_amount??0);function eo(e,{reason:n,force:r},o,s,a){return g("POST",`/orders/${e.order_number}/refund`,{key:a,body:{reason:n,force:r==="true",...o.length>0&&{items:o},...s!==void 0&&{amount:s}}})}var vi="POST /orders/{order_number}/restock",ki=(e,n,r)=>g("POST",`/orders/${e.order_number}/restock`,{key:`${r}-restock`,body:{reason:n}}),to=e=>({name:"amount",label:t("amount"),type:"number",min:0,max:Z(le(e),e.currency),help:t("refund_help",{amount:D(le(e),e.currency)}),presets:[[t("refund_all"),()=>Z(le(e),e.currency)]]});function no(e,n){let r=e.items.reduce((o,s)=>o+s.price*kt(s,n).quantity,0);return Math.min(J(n.amount,e.currency)??r,le(e))}function ro(e,n){try{let r=no(e,n);return t(r>0?"refund_preview":"refund_none_yet",{amount:D(r,e.currency)})}catch(r){return r.message}}function wi({order:e,reload:n,opens:r}){if(e.status!=="paid"||!e.byPayment)return null;let o=[...e.items.flatMap(Xr),to(e),{name:"reason",label:t("reason"),maxlength:200},{name:"force",label:t("refund_force"),type:"checkbox"},...E(vi)?[{name:"restock",label:t("refund_restock"),type:"checkbox"}]:[]],s=async(a,d)=>{let c=e.items.map(m=>kt(m,a)).filter(m=>m.quantity>0),l=J(a.amount,e.currency);if(c.length===0&&l===void 0)throw new Error(t("refund_nothing"));let p=no(e,a)===le(e);if(a.restock&&!p)throw new Error(t("refund_restock_last"));let u=c.length===0&&p,b=await eo(e,a,c,u?void 0:l,d);return a.restock&&await ki(e,a.reason||t("refund_order"),d),b};return i`<${k} route="POST /orders/{order_number}/refund"
    label=${t("refund_order")} title=${t("refund_order")} id="refund" kind="danger" opens=${r}
    fields=${o} run=${s} then=${n} preview=${a=>ro(e,a)} />`}function xi({order:e,item:n,reload:r}){let o=e.items.length+n.quantity===2;if(e.status!=="paid"||o||n.left<1||!e.byPayment)return null;let[s,...a]=Xr(n),c=[n.voucher_codes?.length>0?s:{...s,min:1,initial:1,required:!0},...a,{name:"reason",label:t("reason"),maxlength:200}],l=(u,b)=>{let m=kt(n,u);if(m.quantity===0)throw new Error(t("refund_nothing"));return eo(e,u,[m],void 0,b)},p=u=>t("refund_preview",{amount:D(Math.min(n.price*kt(n,u).quantity,le(e)),e.currency)});return i`<${k} route="POST /orders/{order_number}/refund"
    label=${t("refund_line")} title=${t("refund_line_title",{title:n.title})}
    id="refund-${n.sku_id}" fields=${c} run=${l} then=${r} preview=${p} />`}var Jt=e=>`/points/${encodeURIComponent(e)}`,Oi=e=>e.split(/[,，、;；\n]/).map(n=>n.trim()).filter(Boolean),Si=(e,n)=>n?Z(e,n):e,oo=(e,n)=>[...e?[]:[{name:"point_id",label:t("point_id"),required:!0,...te}],{name:"name",label:t("name"),required:!0,maxlength:200,initial:e?.name},{name:"regions",label:t("regions"),help:t("regions_help"),type:"textarea",initial:e?.regions.join(", ")},{name:"freight_extra",label:t("freight_extra"),help:n??t("minor_units"),type:"number",min:0,initial:Si(e?.freight_extra??0,n)},{name:"pickup",label:t("pickup"),type:"checkbox",initial:e?.pickup},{name:"address",label:t("point_address"),help:t("point_address_help"),type:"textarea",maxlength:200,initial:e?.address},{name:"hours",label:t("point_hours"),maxlength:200,help:t("point_hours_help"),initial:e?.hours}],so=(e,n)=>(r,o,s)=>Ke(e,Jt(e?.point_id??r.point_id),{body:{name:r.name,regions:Oi(r.regions),pickup:r.pickup==="true",address:r.address,hours:r.hours,freight_extra:(n?J(r.freight_extra,n):Number(r.freight_extra))??0}},s);function Ti(e){let n=new Set(e.map(r=>r.currency));return n.size===1?[...n][0]:void 0}function Pi({claims:e}){return i`<${T} error=${e.error} retry=${e.reload} />
    ${(e.value?.items??[]).map(({region:n,point_ids:r})=>i`<p class="notice" key=${n}>
      ${t("region_shared",{region:n,points:r.join(", "),wins:r[0]})}</p>`)}
    ${e.value?.next_cursor&&i`<p class="notice">…</p>`}`}function qi({query:e}){let{value:n,error:r,reload:o}=N(()=>F("/skus"));if(!n)return r?i`<${T} error=${r} retry=${o} />`:i`<${j} />`;let s=new URLSearchParams(e).get("point_id"),a=Ti(n);return s?i`<${Ei} id=${s} currency=${a} />`:i`<${Ci} currency=${a} />`}var Ei=({id:e,currency:n})=>i`<${io} points=${Ye(Jt(e))} currency=${n}>
  <p><a href="#/points">${t("all_points")}</a></p><//>`,Ci=({currency:e})=>i`<${io} points=${G("/points")} currency=${e} />`;function io({points:e,currency:n,children:r}){let o=N(()=>g("GET","/regions?shared=true&page_size=20")),s={...e,reload:()=>{e.reload(),o.reload()}},a=[[t("point"),d=>i`<b>${d.name}</b><p class="muted"><code>${d.point_id}</code></p>`,"lead wide"],[t("regions"),d=>d.regions.length?d.regions.join(", "):t("regions_rest"),"wide"],[t("freight_extra"),d=>n?D(d.freight_extra,n):d.freight_extra,"number named"],[t("pickup"),d=>i`${d.pickup?t("yes"):t("no")}
        ${[d.address,d.hours].filter(Boolean).map(c=>i`<p class="muted">${c}</p>`)}`,"wide named"],["",d=>i`<div class="row actions">
      <${k} route="PUT /points/{point_id}"
        label=${t("edit")} title=${t("edit")} fields=${oo(d,n)} run=${so(d,n)}
        then=${s.reload} />
      ${d.point_id!=="0"&&i`<${k} route="DELETE /points/{point_id}" label=${t("delete")} kind="danger"
        title=${t("delete_title",{name:d.name})} help=${t("delete_point_help")} then=${s.reload}
        run=${(c,l,p=d.version)=>g("DELETE",Jt(d.point_id),{version:p})} />`}</div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_points")}</h1>
      <${k} route="PUT /points/{point_id}"
        label=${t("new_point")} title=${t("new_point")} kind="go" fields=${oo(void 0,n)}
        run=${so(void 0,n)} then=${s.reload} /></div>
    ${r}<p class="muted">${t("points_help")}</p><${Pi} claims=${o} />
    <${z} list=${s} name=${t("menu_points")} columns=${a} empty=${t("points_none")}
      keyOf=${d=>d.point_id} />`}function Li(){let{value:e,error:n,reload:r}=H(2e3,()=>g("GET","/queue"));if(!e)return n?i`<${T} error=${n} retry=${r} />`:i`<${j} />`;let o=[[t("lane"),a=>t("lane_number",{n:a.lane}),"lead"],[t("queued"),a=>h(a.length),"number named"],[t("oldest"),a=>a.length?Ve(a.oldest_ms):"–","number named"],[t("dead"),a=>i`<span class=${a.dead?"bad":""}>${h(a.dead)}</span>`,"number named"],[t("oldest_dead"),a=>a.dead?Ve(a.oldest_dead_ms):"–","number named"],[t("note"),a=>a.newer_records?t("newer_records"):"","wide"]],s=e.items.filter(a=>a.length||a.dead||a.newer_records);return i`<h1>${t("menu_queue")}</h1><p class="muted">${t("queue_help")}</p>
    <${R} name=${t("menu_queue")} columns=${o} rows=${s} keyOf=${a=>a.lane}
      empty=${t("queue_none",{lanes:e.items.length})} />
    ${E("GET /queue/dead")&&i`<${Di} reload=${r} />`}`}function Di({reload:e}){let[n,r]=v({reason:""}),o=G("/queue/dead",n),s=()=>{o.reload(),e()},a=[...new Set(o.items.map(d=>d.reason))];return i`<h2>${t("dead_title")}</h2>
    <div class="row">
      <${ee} fields=${[{name:"reason",label:t("reason"),maxlength:64}]} values=${n}
        change=${r} />
      ${a.map(d=>i`<${ji} key=${d} reason=${d} then=${s} />`)}</div>
    <${z} list=${o} name=${t("dead_title")} columns=${Ui(s)} empty=${t("dead_none")}
      keyOf=${d=>d.dead_id} />`}function ji({reason:e,then:n}){let r=t("replay_reason",{reason:K("dead",e)});return i`<${k} route="POST /queue/dead:replay" label=${r} title=${r} help=${t("replay_help")}
    run=${(o,s)=>g("POST","/queue/dead:replay",{key:s,body:{reason:e}})} then=${n} />`}function Ui(e){return[[t("order"),n=>n.order_number??n.dead_id,"lead"],[t("buyer"),n=>n.user_id??"–","cut"],[t("reason"),n=>i`<b>${K("dead",n.reason)}</b><p class="muted">${n.detail}</p>`,"wide"],[t("age"),n=>n.at?Ve(sn(n.at)):"–","number end"],["",n=>i`<div class="row actions">
      <${k} route="POST /queue/dead/{dead_id}/replay" label=${t("replay")} id="replay-${n.dead_id}"
        run=${(r,o)=>g("POST",`/queue/dead/${n.dead_id}/replay`,{key:o})} then=${e} />
      <${k} route="POST /queue/dead/{dead_id}/discard" label=${t("discard")} title=${t("discard_title")}
        help=${t("discard_help")} kind="danger"
        run=${(r,o)=>g("POST",`/queue/dead/${n.dead_id}/discard`,{key:o})} then=${e} /></div>`,"tools"]]}function Ni({id:e}){let n=`/activities/${encodeURIComponent(e)}/report`,{value:r,error:o,reload:s}=N(()=>g("GET",n),[n]);return r?i`<div class="report"><div class="row heading"><h1>${t("report_of",{sale:r.title})}</h1>
      <${be} sale=${r} />
      <span class="row actions"><a href=${rt(r)}>${t("report_live")}</a>
        <${k} label=${t("download")} run=${()=>Ze(`${n}.csv?bom=1`,`report-${e}.csv`)} done=${null} />
        <button class="quiet" id="print" onClick=${()=>window.print()}>${t("print")}</button></span></div>
    <p class="muted">${C(r.starts_at)} – ${C(r.ends_at)}<br />
      ${t("report_made",{time:C(r.made_at)})}</p>
    ${!r.settled&&i`<p class="notice" id="unsettled">${Ai(r)}</p>`}
    <${Ri} report=${r} /><${Mi} report=${r} /><${Bi} traffic=${r.traffic} /></div>`:o?i`<${T} error=${o} retry=${s} />`:i`<${j} />`}function Ai({placed:e,totals:n}){return e===void 0?t("report_queue_unknown"):t("report_unsettled",{placed:h(e),unpaid:h(n.unpaid_orders)})}function Ri({report:{totals:e,offered_units:n,currency:r,traffic:o}}){let s=c=>D(c,r),a=c=>c===1?t("of_order"):t("of_orders",{orders:h(c)}),d=[["paid_units",h(e.paid_units),t("of_total",{total:h(n)})],["report_paid",s(e.paid_amount),a(e.paid_orders)],["refunded",s(e.refunded_amount),t("report_whole",{orders:h(e.refunded_orders)})],["report_net",s(e.net_amount),t("report_net_note")],["state_unpaid",s(e.unpaid_amount),a(e.unpaid_orders)],["state_cancelled",s(e.cancelled_amount),a(e.cancelled_orders)],["state_failed",h(e.failed_orders),t("report_failed_note")],["report_peak",o.peak?h(o.peak.orders):"–",o.peak?C(o.peak.at):t(`report_peak_${o.state}`)]];return i`<dl class="figures three">${d.map(([c,l,p])=>i`
    <div id="figure-${c}"><dt>${t(c)}</dt><dd>${l} <small>${p}</small></dd></div>`)}</dl>`}function Mi({report:e}){let{currency:n,skus:r,points:o,times:s,rooms:a,share_sources:d}=e,c=[[t("orders"),u=>h(u.sums.orders),"number named"],[t("paid_units"),u=>h(u.sums.paid_units),"number named"],[t("report_unpaid_units"),u=>h(u.sums.unpaid_units),"number named"],[t("report_cancelled_units"),u=>h(u.sums.cancelled_units),"number named"],[t("report_paid"),u=>D(u.sums.paid_amount,n),"number named"],[t("refunded"),u=>D(u.sums.refunded_amount,n),"number named"],[t("report_net"),u=>D(u.sums.net_amount,n),"number end"]],l=[t("report_offered"),u=>h(u.offered_units),"number named"],p=(u,b,m,$,f=[])=>i`<section><h2>${u}</h2>
    <${R} name=${u} rows=${b} columns=${[m,...f,...c]} empty=${t("report_none")} keyOf=${$} />
    </section>`;return i`
    ${p(t("report_skus"),r,[t("sku"),Ii,"lead wide"],u=>u.sku_id,[l])}
    ${p(t("report_points"),o,[t("point"),u=>u.point_id,"lead"],u=>u.point_id,[l])}
    ${p(t(`report_every_${s.every_s}`),s.items,[A(t("report_placed")),u=>i`<${U} at=${u.at} />`,"lead"],u=>u.at)}
    <div class="columns"><${ao} name=${t("share_sources")} sources=${d} />
      <${ao} name=${t("rooms")} sources=${a} /></div>`}var Ii=({sku_id:e,title:n})=>i`${n} <code class="muted below">${e}</code>`;function ao({name:e,sources:{items:n,others:r,without:o}}){if(n.length===0)return null;let s=[[t("report_others"),r],[t("report_without"),o]].filter(([,c])=>c>0),a=[...n.map(c=>[c.name,c.orders]),...s],d=[[e,([c])=>c,"lead"],[t("orders"),([,c])=>h(c),"number end"]];return i`<section><h2>${e}</h2><${R} name=${e} rows=${a} columns=${d} empty=""
    keyOf=${([c])=>c} /></section>`}function Bi({traffic:e}){let{state:n,paths:r,submits:o,refusals:s,early_places:a}=e,d=[[t("code"),c=>i`<${gt} code=${c.code} />`,"lead"],[t("call_path"),c=>h(c.paths),"number named"],[t("call_submit"),c=>h(c.submits),"number named"]];return i`<section id="traffic"><h2>${t("report_traffic")}</h2>
    ${n==="kept"?i`<p>${t("report_requests",{paths:h(r),submits:h(o)})}
        ${a&&i` ${t("report_early",{n:h(a)})}`}</p>
      <${R} name=${t("report_traffic")} rows=${s} columns=${d} empty=${t("report_refused_none")}
        keyOf=${c=>c.code} />`:i`<p class="notice">${t(`report_traffic_${n}`)}</p>`}</section>`}var Wt="PATCH /settings",Gi=["limits","limit_user","limit_address","limit_network","limit_strangers","limit_instance","limit_routes"],Fi=["limit_routes","image_hosts"],zi=["full","no_streams","no_lists","only_placing"],co={degrade:()=>zi.map(e=>[e,t(`degrade_${e}`)]),limits:()=>["on","dry_run","off"].map(e=>[e,t(`limits_${e}`)]),log:()=>["debug","info","warn","error"].map(e=>[e,e])};function lo(e,n){return e==="degrade"||e==="limits"?t(`${e}_${n}`):Array.isArray(n)?n.join(", ")||"none":n}function Ji(e,n=""){return Fi.includes(e)&&n?n.split(/\s*,\s*/):n.trim()||null}function Wi({query:e}){let{value:n,error:r}=wn(),o=Et;if(P(()=>{Et()},[]),!n)return r?i`<${T} error=${r} retry=${o} />`:i`<${j} />`;let{set:s,in_force:a}=n,d=l=>i`<${k} route=${Wt} label=${t("change_setting")} id="set-${l}"
    title=${t(`setting_${l}`)} help=${t(`setting_${l}_help`)} then=${o}
    done=${t("done_setting",{setting:t(`setting_${l}`)})} undo=${nt({[l]:s[l]??null})}
    fields=${[co[l]?{name:"value",of:l,label:t("value"),options:co[l](),initial:a[l]}:{name:"value",of:l,label:t("value"),help:t("setting_empty"),initial:lo(l,s[l]??"")}]}
    run=${({value:p},u,b)=>tt({[l]:Ji(l,p)})({},u,b)} />`,c=[[t("setting"),l=>i`<b>${t(`setting_${l}`)}</b>
      <p class="muted">${t(`setting_${l}_help`)}</p>`,"lead wide"],[t("value"),l=>i`${lo(l,a[l])}
      <p class="muted">${t(s[l]===void 0?"setting_environment":"setting_operators")}</p>`],["",l=>i`<div class="row actions">${d(l)}
      ${s[l]!==void 0&&i`<${k} route=${Wt} label=${t("unset")} id="unset-${l}" run=${tt({[l]:null})}
          then=${o} done=${t("done_setting",{setting:t(`setting_${l}`)})}
          undo=${nt({[l]:s[l]})} />`}</div>`,"tools"]];return i`<h1>${t("menu_settings")}</h1><p class="muted">${t("settings_help")}</p>
    <section class="card" id="all-sales"><h2>${t("all_sales")}</h2>
      <p><${B} state=${a.sales_stopped?"stopped":"ok"} />
        ${t(a.sales_stopped?"sales_are_stopped":"sales_go_on")}</p>
      <div class="row">${a.sales_stopped?i`<${xn} id="go-on" kind="go" />`:i`<${k} route=${Wt} label=${t("stop_sales")} kind="danger" id="stop-sales"
            opens=${e==="do=stop"}
            title=${t("stop_sales_title")} help=${t("stop_sales_help")} run=${tt({sales_stopped:!0})}
            then=${o} done=${t("done_stopped")} undo=${nt({sales_stopped:null})} />`}</div></section>
    ${n.pending&&i`<p class="note">${t("settings_pending")}</p>`}
    ${a.limits!=="on"&&i`<p class="note">${t(`limits_are_${a.limits}`)}</p>`}
    <${T} error=${r} />
    <${R} name=${t("menu_settings")} columns=${c} rows=${["degrade",...Gi,"image_hosts","log"]}
      keyOf=${l=>l} />`}function Hi({id:e}){let n=`/users/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=N(()=>g("GET",`${n}/trail`),[e]),a=new URLSearchParams({user_id:e});return i`<div class="row heading"><h1>${t("user_title",{user:e})}</h1>
      <a class="button quiet" href="#/money/orders?${a}">${t("orders_all")}</a>
      <${k} route="GET /users/{user_id}/export" label=${t("user_export")} done=${null}
        run=${()=>Ze(`${n}/export`,"user.json")} />
      <${Yi} path=${n} user=${e} then=${s} /></div>
    <${T} error=${o} retry=${s} />
    ${r?i`<${Ki} trail=${r} />`:!o&&i`<${j} />`}`}function Ki({trail:e}){return i`${e.partial&&i`<p class="notice">${t("trail_partial")}</p>`}
    <h2>${t("trail_refusals")}</h2>
    <p class="muted">${t("trail_help")}</p>
    <${R} name=${t("trail_refusals")} rows=${e.refusals} columns=${Vi()}
      empty=${t("trail_refusals_none")}
      keyOf=${n=>`${n.instance}${n.first_request_id}${n.first_at}`} />
    <h2>${t("trail_orders")}</h2>
    <${R} name=${t("trail_orders")} rows=${e.orders} columns=${Qi()} empty=${t("trail_orders_none")}
      keyOf=${n=>n.order_number} />`}var Vi=()=>[[A(t("trail_last")),e=>i`<${U} at=${e.last_at} />`,"lead"],[t("sale"),e=>e.activity_id&&i`<a href="#/live/${e.activity_id}">${e.activity_id}</a> <code>${e.sku_id}</code>`],[t("trail_answer"),e=>i`${e.detail} <code>${e.code}</code>`,"wide"],[t("trail_request"),e=>i`<code>${e.method} ${e.path}</code>`,"cut"],[t("trail_count"),e=>h(e.count),"number named"],[t("trail_request_id"),e=>i`<code>${e.last_request_id}</code>`,"cut named"],[t("trail_key"),e=>e.idempotency_key&&i`<code>${e.idempotency_key}</code>`,"cut named"]],Qi=()=>[[t("order"),e=>i`<a href="#/order/${e.order_number}">${e.order_number}</a>`,"lead"],[A(t("placed")),e=>i`<${U} at=${e.placed_at} />`],[t("what"),e=>e.items.map(n=>`${n.title} × ${n.quantity}`).join(", "),"cut"],[t("amount"),e=>D(e.total_amount,e.currency),"number"],[t("state"),e=>i`<${B} state=${e.status} />`,"end"]];function Yi({path:e,user:n,then:r}){let o=[{name:"confirm",label:t("type_to_confirm",{what:n}),required:!0,maxlength:64}];return i`<${k} route="POST /users/{user_id}/erase" label=${t("user_erase")} kind="danger"
    title=${t("user_erase_title",{user:n})} help=${t("user_erase_help")} fields=${o}
    run=${(s,a)=>g("POST",`${e}/erase`,{key:a,body:s})} then=${r} />`}function Zi({id:e}){let n=`/vouchers/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=N(()=>g("GET",n));return r?i`<div class="row heading"><h1>${t("voucher_title",{code:e})}</h1><${B} state=${r.status} />
      ${r.status==="active"&&i`<${k} route="POST /vouchers/{code}/redeem" label=${t("redeem")} kind="go" title=${t("redeem")}
        fields=${[{name:"where",label:t("where"),required:!0,maxlength:100}]}
        run=${(a,d)=>g("POST",`${n}/redeem`,{key:d,body:a})} then=${s} />`}</div>
    <section class="card"><dl class="facts">
      <div><dt>${t("what")}</dt><dd>${r.title}</dd></div>
      <div><dt>${t("order")}</dt><dd><a href="#/order/${r.order_number}">${r.order_number}</a></dd></div>
      <div><dt>${t("buyer")}</dt><dd>${r.user_id}</dd></div>
      ${r.redeemed_at&&i`<div><dt>${t("redeemed")}</dt>
        <dd>${C(r.redeemed_at)}, ${r.redeemed_where}, ${r.redeemed_by}</dd></div>`}</dl></section>`:o?i`<${T} error=${o} retry=${s} />`:i`<${j} />`}var Xi=6,ea=150,ta={order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?refund_number=${encodeURIComponent(e)}`,user:e=>`#/user/${encodeURIComponent(e)}`,refusal:(e,n)=>`#/user/${encodeURIComponent(n)}`,voucher:e=>`#/voucher/${encodeURIComponent(e)}`},Ne=(e,n,r=n)=>({kind:"action",id:r,title:e,href:n});function na(e){let n=e.filter(r=>["running","upcoming"].includes(ne(r))&&!r.paused_at);return[E("PATCH /settings")&&Ne(t("stop_sales"),"#/settings?do=stop"),E("GET /orders")&&Ne(t("refund_an_order"),"#/money/orders?status=paid"),E("PUT /activities/{activity_id}")&&Ne(t("new_sale"),"#/edit"),...(E("POST /activities/{activity_id}/pause")?n:[]).map(r=>Ne(`${t("pause_sale")}: ${r.title}`,`#/live/${r.activity_id}?do=pause`))].filter(Boolean)}var ra=e=>e.filter(({kind:n})=>n==="order"&&E("POST /orders/{order_number}/refund")).map(({id:n})=>Ne(`${t("refund_order")}: ${n}`,`#/order/${n}?do=refund`));async function oa(){let[e,n,r]=await Promise.all([F("/activities"),F("/skus"),F("/points")]),o=(s,a,d,c,l)=>({kind:s,id:a,title:d,href:c,state:l});return[...e.map(s=>o("sale",s.activity_id,s.title,rt(s),On(s))),...n.map(s=>o("sku",s.sku_id,s.title,`#/goods?${new URLSearchParams({sku_id:s.sku_id})}`)),...r.map(s=>o("point",s.point_id,s.name,`#/points?${new URLSearchParams({point_id:s.point_id})}`)),...na(e)]}function sa(e,n){let r=n.toLowerCase().split(/\s+/).filter(Boolean);if(r.length===0)return[];let o={};return e.filter(({kind:s,id:a,title:d})=>{let c=(s==="action"?d:`${d} ${a}`).toLowerCase();return r.every(l=>c.includes(l))?(o[s]=(o[s]??0)+1,o[s]<=Xi):!1})}function ia(e){let[n,r]=v({of:"",hits:[]});return P(()=>{if(!e)return;let o=!0,s=setTimeout(async()=>{try{let{items:a}=await g("GET",`/search?q=${encodeURIComponent(e)}`),d=a.map(({kind:c,id:l,user_id:p})=>({kind:c,id:l,title:p??l,href:ta[c](l,p)}));o&&r({of:e,hits:[...d,...ra(a)]})}catch(a){o&&r({of:e,hits:[],error:a})}},ea);return()=>{o=!1,clearTimeout(s)}},[e]),n.of===e?n:{hits:[],waits:!!e}}var wt=e=>`${e.kind} ${e.id}`;function aa(e){let[,n]=v(""),r=L(""),o=Math.max(0,e.findIndex(a=>wt(a)===r.current));return r.current=e[o]?wt(e[o]):"",{at:o,mark:a=>{r.current=a?wt(a):"",n(r.current)}}}function da({close:e}){let[n,r]=v(""),[o,s]=v(!1),a=N(oa),d=ia(n.trim()),c=[...d.hits,...sa(a.value??[],n)],{at:l,mark:p}=aa(c),u=d.waits||!!n.trim()&&!a.value&&!a.error,b=f=>{e(),Ge(f.href)};P(()=>{!o||u||(s(!1),c.length>0&&b(c[0]))},[o,u]);let m=f=>{let _={ArrowDown:1,ArrowUp:-1}[f.key];_&&c.length>0?(f.preventDefault(),p(c[(l+_+c.length)%c.length])):f.key==="Enter"&&(f.preventDefault(),c[l]?b(c[l]):s(u))},$=f=>{r(f.target.value),p(),s(!1)};return i`<${W} title=${t("search_short")} close=${e}><div class="finder">
    <input id="search" type="text" enterkeyhint="go" maxlength="128" autocomplete="off" autofocus role="combobox"
      aria-expanded="true" aria-controls="hits" aria-autocomplete="list" aria-label=${t("search")}
      aria-activedescendant=${c[l]&&`hit-${l}`} value=${n} onInput=${$} onKeyDown=${m} />
    <${T} error=${d.error??a.error} />
    <ul id="hits" role="listbox" aria-label=${t("search_hits")}>${c.map((f,_)=>i`<li id="hit-${_}" key=${wt(f)} role="option" aria-selected=${_===l}
        onClick=${()=>b(f)} onMouseMove=${()=>p(f)}>
        <span class="muted kind">${t(`hit_${f.kind}`)}</span><b>${f.title}</b>
        ${f.title!==f.id&&f.kind!=="action"&&i`<code class="muted">${f.id}</code>`}
        ${f.state&&i`<${B} state=${f.state} />`}</li>`)}</ul>
    <p class="muted" role="status">${ca(n.trim(),u,c)}</p></div>
    <button type="button" class="quiet" onClick=${e}>${t("close")}</button><//>`}function ca(e,n,r){return e?n?`${t("loading")} …`:r.length===0?t("search_none"):"":t("search_help")}Kt({en:Pn,zh:qn});export{ho as Blocked,ko as Changes,xo as Deliveries,is as Edit,$o as Endpoints,qs as Goods,Ds as Home,fo as Jobs,As as Keys,si as Live,ai as Login,po as Money,js as NotAllowed,di as Order,mo as Payment,qi as Points,Li as Queue,Ni as Report,_o as Sales,da as SearchDialog,Wi as Settings,Hi as User,Zi as Voucher};
